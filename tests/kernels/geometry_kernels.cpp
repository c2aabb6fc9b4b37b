// References of geometry.cl.
#include <algorithm>

#include "harness.h"

namespace gcnjit::kernel_tests {
namespace geometry_kernels {
namespace {

// One run of where_am_i over the given grid.
void WhereAmI(Run& run, std::array<uint32_t, 3> global, std::array<uint32_t, 3> local,
              std::array<uint64_t, 3> offset) {
  run.Grid({global[0], global[1], global[2]}, {local[0], local[1], local[2]}, offset);
  std::vector<uint32_t> out;
  std::array<uint32_t, 3> at{};
  for (at[2] = 0; at[2] < global[2]; ++at[2]) {
    for (at[1] = 0; at[1] < global[1]; ++at[1]) {
      for (at[0] = 0; at[0] < global[0]; ++at[0]) {
        std::array<uint32_t, 24> o{};
        for (size_t d = 0; d < 3; ++d) {
          o[d] = at[d] + static_cast<uint32_t>(offset[d]);
          o[3 + d] = at[d] % local[d];
          o[6 + d] = at[d] / local[d];
          o[9 + d] = global[d];
          o[12 + d] = std::min(local[d], global[d] - o[6 + d] * local[d]);
          o[15 + d] = (global[d] + local[d] - 1) / local[d];
          o[18 + d] = static_cast<uint32_t>(offset[d]);
        }
        // The device library counts in complete groups, here as in get_enqueued_local_size
        // (__ockl_get_local_linear_id reads the packet's work-group size).
        o[21] = (o[5] * local[1] + o[4]) * local[0] + o[3];
        o[22] = local[0] + 1000 * local[1] + 1000000 * local[2];
        o[23] = 3;
        if (global[2] == 1) o[23] = global[1] == 1 ? 1 : 2;
        out.insert(out.end(), o.begin(), o.end());
      }
    }
  }
  run.Out(out);
}

void OneDimension(Run& run) { WhereAmI(run, {200, 1, 1}, {64, 1, 1}, {}); }
void OneDimensionOffset(Run& run) { WhereAmI(run, {130, 1, 1}, {100, 1, 1}, {1000, 0, 0}); }
void TwoDimensions(Run& run) { WhereAmI(run, {20, 12, 1}, {16, 4, 1}, {3, 5, 0}); }
void ThreeDimensions(Run& run) { WhereAmI(run, {8, 6, 4}, {4, 3, 2}, {}); }
void ThreeDimensionsPartial(Run& run) { WhereAmI(run, {9, 7, 5}, {4, 4, 2}, {100, 200, 300}); }
void LargeGroup(Run& run) { WhereAmI(run, {40, 20, 3}, {16, 16, 1}, {0, 7, 0}); }
void OneItem(Run& run) { WhereAmI(run, {1, 1, 1}, {1, 1, 1}, {}); }
void ThinGroups(Run& run) { WhereAmI(run, {3, 5, 40}, {1, 2, 16}, {0, 0, 1}); }

void OnlyZ(Run& run) {
  run.Grid({1, 1, 10}, {1, 1, 4}, {0, 0, 50});
  std::vector<uint32_t> out;
  for (uint32_t z = 0; z < 10; ++z) out.push_back(z + 57);
  run.Out(out);
}

void OnlyGroupY(Run& run) {
  run.Grid({64, 9, 1}, {32, 2, 1});
  // 2 groups in x; 2 rows a group (1 in the last one).
  run.InOut<uint32_t>({0, 0, 0, 0, 0}, {4, 8, 12, 16, 10});
}

void FixedSize(Run& run) {
  run.Grid({16, 8, 4}, {8, 4, 2});
  std::vector<uint32_t> out;
  for (uint32_t z = 0; z < 4; ++z) {
    for (uint32_t y = 0; y < 8; ++y) {
      for (uint32_t x = 0; x < 16; ++x) {
        out.push_back(((z % 2 * 4 + y % 4) * 8 + x % 8) * 1000 + 842);
      }
    }
  }
  run.Out(out);
}

struct Settings {
  int8_t a;
  int16_t b;
  int32_t c;
  int64_t d;
  float e;
  double f;
  std::array<uint8_t, 4> g;
};

void ByValue(Run& run) {
  run.Grid({1}, {1});
  const std::vector<double> out = {
      -5,   250, -3000, 60000, -70000, 4e9,   -5e12, 9007199254740993.0,        1.5, -2.25, 321,
      4321, -7,  -800,  90000, -1e10,  0.125, 1e-3,  1 + 2 * 2 + 4 * 3 + 8 * 4, 66};
  run.Out(out);
  run.Value(int8_t{-5});
  run.Value(uint8_t{250});
  run.Value(int16_t{-3000});
  run.Value(uint16_t{60000});
  run.Value(int32_t{-70000});
  run.Value(uint32_t{4000000000});
  run.Value(int64_t{-5000000000000});
  run.Value(uint64_t{9007199254740992});
  run.Value(1.5f);
  run.Value(-2.25);
  run.Value(std::array<int8_t, 4>{1, 2, 3, 0});  // char3 takes four bytes
  run.Value(std::array<int32_t, 4>{1, 2, 3, 4});
  run.Value(Settings{-7, -800, 90000, -10000000000, 0.125f, 1e-3, {1, 2, 3, 4}});
  run.In(std::vector<int32_t>{11, 22, 33, 44, 55, 66});
  run.Value(uint16_t{5});
}

void PointersInStruct(Run& run) {
  run.Grid({100}, {64});
  const auto in = run.random().IntegersBetween<int32_t>(100, -1000, 1000);
  auto out = in;
  for (int32_t& value : out) value *= 3;
  struct Buffers {
    uint64_t in;
    int32_t scale;
    uint64_t out;
  };
  const auto in_buffer = run.Unbound(in, in);
  const auto out_buffer = run.Unbound(std::vector<int32_t>(100), out);
  run.ValueWithPointers(Buffers{0, 3, 0},
                        {{offsetof(Buffers, in), in_buffer}, {offsetof(Buffers, out), out_buffer}});
}

void NoArguments(Run& run) { run.Grid({100, 3}, {64, 1}); }

}  // namespace
}  // namespace geometry_kernels

void AddGeometryKernels(Suite& suite) {
  using namespace geometry_kernels;
  const std::string source = "geometry.cl";
  suite.Add({source, "where_am_i", OneDimension, "where_1d"});
  suite.Add({source, "where_am_i", OneDimensionOffset, "where_1d_offset_partial"});
  suite.Add({source, "where_am_i", TwoDimensions, "where_2d_partial"});
  suite.Add({source, "where_am_i", ThreeDimensions, "where_3d"});
  suite.Add({source, "where_am_i", ThreeDimensionsPartial, "where_3d_offset_partial"});
  suite.Add({source, "where_am_i", LargeGroup, "where_256_items"});
  suite.Add({source, "where_am_i", OneItem, "where_one_item"});
  suite.Add({source, "where_am_i", ThinGroups, "where_thin_groups"});
  suite.Add({source, "only_z", OnlyZ});
  suite.Add({source, "only_group_y", OnlyGroupY});
  suite.Add({source, "fixed_size", FixedSize});
  suite.Add({source, "arguments", ByValue});
  suite.Add({source, "pointers_in_struct", PointersInStruct});
  suite.Add({source, "no_arguments", NoArguments});
}

}  // namespace gcnjit::kernel_tests
