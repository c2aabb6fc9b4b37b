// What kernels print: the program's own standard output, read back through a pipe.
#include <unistd.h>

#include <algorithm>
#include <thread>

#include "harness.h"

namespace {

std::string Printed(const Session& s, cl_kernel kernel, size_t items) {
  std::fflush(stdout);
  int ends[2];
  if (pipe(ends) != 0) std::exit(2);
  const int saved = dup(1);
  dup2(ends[1], 1);
  close(ends[1]);
  std::string text;
  std::thread reader([&] {
    char bytes[4096];
    for (ssize_t got; (got = read(ends[0], bytes, sizeof bytes)) > 0;)
      text.append(bytes, static_cast<size_t>(got));
  });
  s.Launch(kernel, {items}, {1});
  OK(clFinish(s.queue));
  std::fflush(stdout);
  dup2(saved, 1);
  close(saved);
  reader.join();
  close(ends[0]);
  return text;
}

void Formats(Session& s) {
  const Program program = s.Build(R"(
    kernel void k(int i, float f, ulong l) {
      printf("%d|%5d|%-5d|%05d|%x|%u\n", i, i, i, i, i, -1);
      printf("%f|%.2f|%e|%g\n", f, f, f, f);
      printf("%lu|%ld|%c|%s\n", l, -(long)l, 'x', "text");
      printf("%v4d|%v2hlf\n", (int4)(1, 2, 3, -4), (float2)(0.5f, f));
      printf("no arguments\n");
    })");
  const Kernel kernel = s.NewKernel(program, "k");
  const float f = 1234.5678f;
  s.Set(kernel, cl_int{-42}, f, cl_ulong{1} << 40);
  char want[1000];
  std::snprintf(want, sizeof want,
                "%d|%5d|%-5d|%05d|%x|%u\n%f|%.2f|%e|%g\n%lu|%ld|%c|%s\n1,2,3,-4|%f,%f\n"
                "no arguments\n",
                -42, -42, -42, -42, -42, -1u, f, f, f, f, 1ul << 40, -(1l << 40), 'x', "text", 0.5,
                f);
  const std::string got = Printed(s, kernel, 1);
  CHECK(got == want);
  if (got != want) std::fprintf(stderr, "got:\n%swant:\n%s", got.c_str(), want);
}

void ManyItems(Session& s) {
  const Program program = s.Build(
      "kernel void k(int base) { printf(\"item %d of %d\\n\", base + (int)get_global_id(0),"
      " (int)get_global_size(0)); }");
  const Kernel kernel = s.NewKernel(program, "k");
  constexpr int kItems = 500;
  s.Set(kernel, cl_int{100});
  const std::string text = Printed(s, kernel, kItems);
  std::vector<std::string> got, want;
  for (size_t begin = 0, end; (end = text.find('\n', begin)) != std::string::npos; begin = end + 1)
    got.push_back(text.substr(begin, end - begin));
  for (int i = 0; i < kItems; ++i) want.push_back("item " + std::to_string(100 + i) + " of 500");
  std::sort(got.begin(), got.end());
  std::sort(want.begin(), want.end());
  CHECK(got == want);
}

}  // namespace

int main() { return Main({{"formats", Formats}, {"many items", ManyItems}}); }
