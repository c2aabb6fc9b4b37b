// References of tiles.cl.
#include <algorithm>

#include "harness.h"

namespace gcnjit::kernel_tests {
namespace tiles_kernels {
namespace {

void TileSums(Run& run, uint32_t width, uint32_t height, uint32_t lw, uint32_t lh) {
  run.Grid({width, height, 1}, {lw, lh, 1});
  const auto in = run.random().Integers<uint32_t>(size_t{width} * height);
  std::vector<uint32_t> out(in.size());
  for (uint32_t row = 0; row < height; ++row) {
    for (uint32_t column = 0; column < width; ++column) {
      const uint32_t left = column / lw * lw;
      const uint32_t top = row / lh * lh;
      uint32_t sum = in[row * width];
      for (uint32_t x = left; x < std::min(width, left + lw); ++x)
        sum = sum * 3 + in[row * width + x];
      for (uint32_t y = top; y < std::min(height, top + lh); ++y) {
        sum = sum * 5 + in[y * width + column];
      }
      out[row * width + column] = sum;
    }
  }
  run.Out(out);
  run.In(in);
  for (const uint32_t value : {width, height, lw, lh}) run.Value(value);
}

void Tile16(Run& run) {
  constexpr uint32_t kWidth = 48;
  constexpr uint32_t kHeight = 32;
  run.Grid({kWidth, kHeight, 1}, {16, 16, 1});
  const auto in = run.random().Integers<uint32_t>(kWidth * kHeight);
  std::vector<uint32_t> out(in.size());
  for (uint32_t row = 0; row < kHeight; ++row) {
    for (uint32_t column = 0; column < kWidth; ++column) {
      uint32_t sum = 0;
      for (uint32_t round = 0; round < 3; ++round) {
        for (uint32_t k = 0; k < 16; ++k) {
          sum = sum * 3 + (in[row * kWidth + column / 16 * 16 + k] + round) *
                              (in[(row / 16 * 16 + k) * kWidth + column] + round);
        }
      }
      out[row * kWidth + column] = sum;
    }
  }
  run.Out(out);
  run.In(in);
  run.Value(kWidth);
}

void Vectors(Run& run, uint32_t count, uint32_t local) {
  run.Grid({(count + local - 1) / local * local}, {local});
  const auto in2 = run.random().Integers<uint32_t>(size_t{count} * 2);
  const auto in4 = run.random().Integers<uint32_t>(size_t{count} * 4);
  const auto common = run.random().Integers<uint32_t>(4 * 8);
  std::vector<uint32_t> out2(in2.size());
  std::vector<uint32_t> out4(in4.size());
  for (uint32_t i = 0; i < count; ++i) {
    const uint32_t lane = i % local;
    const uint32_t* c = &common[lane / 16 * 4];
    const uint32_t first = i - lane % 16;
    for (uint32_t n = 0; n < 4; ++n) out4[i * 4 + n] = in4[i * 4 + n] * c[n] + in4[first * 4 + n];
    for (uint32_t n = 0; n < 2; ++n) out2[i * 2 + n] = in2[i * 2 + n] ^ c[n * 2 + 1];
  }
  run.Out(out2);
  run.Out(out4);
  run.In(in2);
  run.In(in4);
  run.In(common);
  run.Value(count);
}

}  // namespace
}  // namespace tiles_kernels

void AddTilesKernels(Suite& suite) {
  using namespace tiles_kernels;
  struct Shape {
    const char* name;
    uint32_t width, height, lw, lh;
  };
  static constexpr Shape kShapes[] = {
      {"16x16", 48, 32, 16, 16},        {"16x16_partial", 40, 35, 16, 16},
      {"16x4", 32, 8, 16, 4},           {"8x8", 24, 16, 8, 8},
      {"8x8_partial", 21, 13, 8, 8},    {"7x3", 21, 12, 7, 3},
      {"7x3_partial", 16, 10, 7, 3},    {"64x1", 128, 3, 64, 1},
      {"20x5", 40, 10, 20, 5},          {"1d_partial", 250, 1, 100, 1},
      {"1d_last_wave", 100, 1, 100, 1}, {"32x2_partial", 70, 5, 32, 2},
      {"4x32", 8, 64, 4, 32},           {"1x64", 3, 128, 1, 64},
      {"128x2", 256, 4, 128, 2},
  };
  for (const Shape& s : kShapes) {
    suite.Add({.source = "tiles.cl",
               .kernel = "tile_sums",
               .prepare = [s](Run& run) { TileSums(run, s.width, s.height, s.lw, s.lh); },
               .name = std::string("tile_sums_") + s.name});
  }
  suite.Add({.source = "tiles.cl", .kernel = "tile_16", .prepare = Tile16});
  suite.Add({.source = "tiles.cl", .kernel = "vectors", .prepare = [](Run& run) {
               Vectors(run, 256, 128);
             }});
  suite.Add({.source = "tiles.cl",
             .kernel = "vectors",
             .prepare = [](Run& run) { Vectors(run, 213, 100); },
             .name = "vectors_partial"});
}

}  // namespace gcnjit::kernel_tests
