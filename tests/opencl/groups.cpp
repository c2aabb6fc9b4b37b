// Functions of whole work-groups and subgroups (OpenCL C 2.0, cl_khr_subgroups).
#include "harness.h"

namespace {

struct Expected {
  uint32_t sum = 0, before = 0, least = ~0u;
};
Expected Of(const std::vector<uint32_t>& in, size_t begin, size_t end, size_t at) {
  Expected expected;
  for (size_t i = begin; i < end; ++i) {
    if (i < at) expected.before += in[i];
    if (i <= at) expected.least = std::min(expected.least, in[i]);
    expected.sum += in[i];
  }
  return expected;
}

std::vector<uint32_t> Values(size_t count) {
  std::vector<uint32_t> values(count);
  for (size_t i = 0; i < count; ++i) values[i] = static_cast<uint32_t>(i * 2654435761u >> 12) + 1;
  return values;
}

// `unit` is work_group or sub_group; `size` how many items have one.
void Functions(const Session& s, const std::string& unit, size_t group, size_t size) {
  const std::string id = unit == "work_group" ? "get_local_id(0)" : "get_sub_group_local_id()";
  const std::string source =
      "#pragma OPENCL EXTENSION cl_khr_subgroups : enable\n"
      "kernel void k(global const uint* in, global uint* out) {"
      "  size_t i = get_global_id(0); uint x = in[i]; global uint* o = out + 6 * i;"
      "  o[0] = " +
      unit + "_reduce_add(x); o[1] = " + unit +
      "_scan_exclusive_add(x);"
      "  o[2] = " +
      unit + "_scan_inclusive_min(x); o[3] = " + unit +
      "_broadcast(x, 5);"
      "  o[4] = " +
      unit + "_any(" + id + " == 7); o[5] = " + unit + "_all(x != 0 && " + id +
      " < 1000 ? 1 : 0); }";
  const Program program = s.Build(source.c_str());
  const Kernel kernel = s.NewKernel(program, "k");
  const size_t items = group * 6;
  std::vector<uint32_t> in = Values(items);
  const Buffer from = s.NewBuffer(items, in.data()), to = s.NewBuffer<uint32_t>(6 * items);
  s.Set(kernel, from, to);
  s.Launch(kernel, {items}, {group});
  Each(unit.c_str(), s.Read<uint32_t>(to, 6 * items), [&](size_t i) -> uint32_t {
    const size_t at = i / 6, base = at / group * group + at % group / size * size;
    const size_t end = std::min(base + size, at / group * group + group);
    const Expected expected = Of(in, base, end, at);
    switch (i % 6) {
      case 0: return expected.sum;
      case 1: return expected.before;
      case 2: return expected.least;
      case 3: return in[base + 5];
      case 4: return end - base > 7;
      default: return 1;
    }
  });
}

void WorkGroups(Session& s) {
  for (const size_t group : {64, 100, 256}) Functions(s, "work_group", group, group);
}

void SubGroups(Session& s) {
  CHECK(s.HasExtension("cl_khr_subgroups"));
  for (const size_t group : {64, 192, 256}) Functions(s, "sub_group", group, 64);
}

void SubGroupIds(Session& s) {
  const Program program = s.Build(R"(
    #pragma OPENCL EXTENSION cl_khr_subgroups : enable
    kernel void k(global uint* out) {
      size_t i = get_global_id(0);
      out[3 * i] = get_sub_group_id(); out[3 * i + 1] = get_sub_group_local_id();
      out[3 * i + 2] = get_num_sub_groups() * 1000 + get_sub_group_size();
    })");
  const Kernel kernel = s.NewKernel(program, "k");
  const Buffer out = s.NewBuffer<uint32_t>(3 * 400);
  s.Set(kernel, out);
  s.Launch(kernel, {400}, {200});
  Each("ids", s.Read<uint32_t>(out, 1200), [](size_t i) {
    const size_t at = i / 3 % 200;
    return i % 3 == 0 ? at / 64 : i % 3 == 1 ? at % 64 : 4000 + (at >= 192 ? 8 : 64);
  });
}

}  // namespace

int main() {
  return Main(
      {{"work-groups", WorkGroups}, {"subgroups", SubGroups}, {"subgroup ids", SubGroupIds}});
}
