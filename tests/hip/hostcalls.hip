// What kernels ask of the host while they run: printf, whose output is read back and compared, and
// memory for themselves.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>

#include "check.h"

__global__ void Speak(int base) {
  const int id = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (id % 16 == 3)
    printf("item %d: %s %.3f %llu %c\n", id, "says", base + id * 0.5, 1ull << (id % 60), 'x');
}

__global__ void SpeakAll() { printf("<%u>\n", static_cast<unsigned>(threadIdx.x)); }

// Runs `launch` with standard output going to a file; the lines, sorted.
template <typename Launch>
static std::vector<std::string> Output(Launch launch) {
  std::fflush(stdout);
  char path[] = "/tmp/gcnjit-printf-XXXXXX";
  const int file = ::mkstemp(path);
  const int saved = ::dup(STDOUT_FILENO);
  ::dup2(file, STDOUT_FILENO);
  launch();
  HIP(hipDeviceSynchronize());
  std::fflush(stdout);
  ::dup2(saved, STDOUT_FILENO);
  ::close(saved);
  std::vector<std::string> lines;
  std::FILE* in = ::fdopen(file, "r");
  std::rewind(in);
  char line[256];
  while (std::fgets(line, sizeof line, in)) lines.emplace_back(line);
  std::fclose(in);
  ::unlink(path);
  std::sort(lines.begin(), lines.end());
  return lines;
}

static void Compare(const char* what, const std::vector<std::string>& got,
                    std::vector<std::string> want) {
  std::sort(want.begin(), want.end());
  ++check::compared;
  if (got == want) return;
  ++check::different;
  std::fprintf(stderr, "%s: %zu lines, expected %zu\n", what, got.size(), want.size());
  for (size_t i = 0; i < std::max(got.size(), want.size()) && i < 5; ++i) {
    std::fprintf(stderr, "  '%s' '%s'\n", i < got.size() ? got[i].c_str() : "",
                 i < want.size() ? want[i].c_str() : "");
  }
}

// Speaks before and after more work than is interpreted before a kernel is compiled.
__global__ void WorkAndSpeak(uint32_t rounds, uint32_t* out) {
  const uint32_t id = blockIdx.x * blockDim.x + threadIdx.x;
  if (id % 1024 == 0) printf("begin %u\n", id);
  uint32_t x = id + 1;
  for (uint32_t r = 0; r < rounds; ++r) x = x * 1664525u + 1013904223u;
  if (id % 1024 == 0) printf("end %u: %u\n", id, x);
  out[id] = x;
}

__global__ void Lists(uint32_t* out, uint32_t* missing) {
  const uint32_t id = blockIdx.x * blockDim.x + threadIdx.x;
  const uint32_t length = id % 7 + 1;
  auto* list = static_cast<uint32_t*>(malloc(length * sizeof(uint32_t)));
  if (list == nullptr) {
    atomicAdd(missing, 1u);
    return;
  }
  for (uint32_t i = 0; i < length; ++i) list[i] = id * 10 + i;
  uint32_t sum = 0;
  for (uint32_t i = 0; i < length; ++i) sum += list[i];
  out[id] = sum;
  free(list);
}

int main() {
  std::vector<std::string> want;
  for (int id = 3; id < 256; id += 16) {
    char line[256];
    std::snprintf(line, sizeof line, "item %d: %s %.3f %llu %c\n", id, "says", 100 + id * 0.5,
                  1ull << (id % 60), 'x');
    want.emplace_back(line);
  }
  Compare("printf", Output([] { Speak<<<2, 128>>>(100); }), want);
  want.clear();
  for (int id = 0; id < 64; ++id) want.push_back("<" + std::to_string(id) + ">\n");
  Compare("printf of all lanes", Output([] { SpeakAll<<<1, 64>>>(); }), want);

  constexpr uint32_t kItems = 4096, kRounds = 2000;
  const auto worked = [](uint32_t id) {
    uint32_t x = id + 1;
    for (uint32_t r = 0; r < kRounds; ++r) x = x * 1664525u + 1013904223u;
    return x;
  };
  check::Buffer<uint32_t> results(kItems);
  want.clear();
  for (uint32_t id = 0; id < kItems; id += 1024) {
    want.push_back("begin " + std::to_string(id) + "\n");
    want.push_back("end " + std::to_string(id) + ": " + std::to_string(worked(id)) + "\n");
  }
  Compare("printf and work", Output([&] { WorkAndSpeak<<<16, 256>>>(kRounds, results); }), want);
  check::Each("work", results.Get(), [&](size_t id) { return worked(static_cast<uint32_t>(id)); });

  check::Buffer<uint32_t> out(512);
  check::Buffer<uint32_t> missing(std::vector<uint32_t>{0});
  Lists<<<4, 128>>>(out, missing);
  HIP(hipGetLastError());
  check::Each("device malloc", out.Get(), [](size_t id) {
    const size_t length = id % 7 + 1;
    return length * id * 10 + length * (length - 1) / 2;
  });
  EXPECT(missing.Get()[0] == 0);
  return check::Finish();
}
