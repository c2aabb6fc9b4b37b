// References of boxes.cl.
#include <array>
#include <functional>

#include "harness.h"

namespace gcnjit::kernel_tests {
namespace boxes_kernels {
namespace {

constexpr uint32_t kUntouched = 0xABCDEF01;
constexpr uint32_t kA = 1000, kB = 70, kC = 9;

using Axes = std::array<uint32_t, 3>;

// What the kernel is given, in order.
enum class Argument { kOut, kIn, kX, kY, kZ, kA, kB, kC };

struct Kernel {
  const char* name;
  std::vector<Argument> arguments;
  // Of a work-item's place, and what lies in its row of the input.
  uint32_t (*value)(const Axes& at, std::span<const uint32_t> row);
};

uint32_t ValueAt(const Axes& at) { return at[0] * 3 + at[1] * 5 + at[2] * 7 + 1; }

void Box(Run& run, const Kernel& kernel, const Axes& global, const Axes& local, const Axes& box) {
  run.Grid({global[0], global[1], global[2]}, {local[0], local[1], local[2]});
  // Beyond the box there is as much that must stay.
  const size_t items = size_t{box[0]} * box[1] * box[2];
  const auto in = run.random().Integers<uint32_t>(items);
  std::vector<uint32_t> out(2 * items, kUntouched);
  std::vector<uint32_t> expected = out;
  for (uint32_t z = 0; z < box[2]; ++z) {
    for (uint32_t y = 0; y < box[1]; ++y) {
      const size_t row = (size_t{z} * box[1] + y) * box[0];
      for (uint32_t x = 0; x < box[0]; ++x) {
        if (x >= global[0] || y >= global[1] || z >= global[2]) continue;
        expected[row + x] = kernel.value({x, y, z}, std::span(in).subspan(row, box[0]));
      }
    }
  }
  for (const Argument argument : kernel.arguments) {
    switch (argument) {
      case Argument::kOut: run.InOut(out, expected); break;
      case Argument::kIn: run.In(in); break;
      case Argument::kX: run.Value(box[0]); break;
      case Argument::kY: run.Value(box[1]); break;
      case Argument::kZ: run.Value(box[2]); break;
      case Argument::kA: run.Value(kA); break;
      case Argument::kB: run.Value(kB); break;
      case Argument::kC: run.Value(kC); break;
    }
  }
}

const Kernel kKernels[] = {
    {"box_out_first",
     {Argument::kOut, Argument::kX, Argument::kY, Argument::kZ},
     [](const Axes& at, std::span<const uint32_t>) { return ValueAt(at); }},
    {"box_out_last",
     {Argument::kX, Argument::kY, Argument::kZ, Argument::kOut},
     [](const Axes& at, std::span<const uint32_t>) { return ValueAt(at); }},
    {"box_out_between",
     {Argument::kX, Argument::kOut, Argument::kZ, Argument::kY},
     [](const Axes& at, std::span<const uint32_t>) { return ValueAt(at); }},
    {"box_more_numbers",
     {Argument::kA, Argument::kOut, Argument::kB, Argument::kZ, Argument::kY, Argument::kX,
      Argument::kC},
     [](const Axes& at, std::span<const uint32_t>) {
       return ValueAt(at) + kA * at[0] + kB * at[1] + kC;
     }},
    {"box_copy",
     {Argument::kOut, Argument::kIn, Argument::kX, Argument::kY, Argument::kZ},
     [](const Axes& at, std::span<const uint32_t> row) { return row[at[0]] * 3 + ValueAt(at); }},
    {"box_row_sum",
     {Argument::kOut, Argument::kY, Argument::kZ, Argument::kIn, Argument::kX},
     [](const Axes& at, std::span<const uint32_t> row) {
       uint32_t sum = ValueAt(at);
       for (const uint32_t value : row) sum = sum * 5 + value;
       return sum;
     }},
};

// Groups, and grids of several of them along each axis that they have.
struct Shape {
  Axes local, groups;
};
constexpr Shape kShapes[] = {
    {{16, 4, 1}, {3, 3, 2}}, {{64, 1, 1}, {4, 3, 2}},  {{8, 8, 1}, {5, 2, 1}},
    {{4, 4, 4}, {4, 2, 2}},  {{32, 2, 2}, {3, 2, 2}},  {{16, 16, 1}, {3, 2, 1}},
    {{7, 3, 5}, {3, 2, 1}},  {{256, 1, 1}, {3, 1, 1}}, {{1, 64, 1}, {5, 2, 1}},
};

void AddBoxes(Suite& suite, const Kernel& kernel, const std::string& name) {
  int number = 0;
  for (const Shape& shape : kShapes) {
    Axes global;
    for (size_t n = 0; n < 3; ++n) global[n] = shape.local[n] * shape.groups[n];
    // All of the grid; without its end; and without most of it.
    for (const Axes less : {Axes{0, 0, 0}, Axes{3, 1, 1}, Axes{70, 5, 3}}) {
      Axes box;
      for (size_t n = 0; n < 3; ++n) box[n] = global[n] - std::min(global[n] - 1, less[n]);
      suite.Add({"boxes.cl", name, [=](Run& run) { Box(run, kernel, global, shape.local, box); },
                 name + "_" + std::to_string(number++)});
    }
  }
}

}  // namespace
}  // namespace boxes_kernels

void AddBoxesKernels(Suite& suite) {
  using namespace boxes_kernels;
  for (const Kernel& kernel : kKernels) {
    for (const char* const ids : {"_cl", "_hip"}) {
      AddBoxes(suite, kernel, std::string(kernel.name) + ids);
    }
  }
}

}  // namespace gcnjit::kernel_tests
