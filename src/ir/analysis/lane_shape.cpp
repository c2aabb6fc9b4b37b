#include "ir/analysis/lane_shape.h"

#include <algorithm>
#include <bit>

namespace gcnjit::ir {
namespace {

uint64_t WidthMask(bool is_64) { return is_64 ? ~uint64_t{0} : 0xFFFFFFFF; }

uint64_t HashOf(const LanePatterns::Offsets& offsets) {
  uint64_t hash = 0;
  for (const uint64_t offset : offsets) hash = (hash ^ offset) * 0x9E3779B97F4A7C15 + (hash >> 29);
  return hash;
}

uint8_t UniformRunOf(const LanePatterns::Offsets& offsets) {
  int run = kLanes;
  for (int lane = 1; lane < kLanes; ++lane) {
    // The lane differs from its neighbour: no run may hold both.
    if (offsets[lane] != offsets[lane - 1]) run = std::min(run, lane & -lane);
  }
  return static_cast<uint8_t>(run);
}

}  // namespace

uint32_t LanePatterns::Intern(const Offsets& offsets) {
  Pattern pattern;
  pattern.offsets = offsets;
  for (const uint64_t offset : offsets) {
    pattern.most = std::max(pattern.most, offset);
    pattern.bits |= offset;
  }
  if (pattern.bits == 0) return kUniform;
  const uint64_t hash = HashOf(offsets);
  const auto [begin, end] = by_hash_.equal_range(hash);
  for (auto it = begin; it != end; ++it) {
    if (patterns_[it->second].offsets == offsets) return it->second;
  }
  pattern.uniform = UniformRunOf(offsets);
  const auto id = static_cast<uint32_t>(patterns_.size());
  patterns_.push_back(pattern);
  by_hash_.emplace(hash, id);
  return id;
}

LaneShape LanePatterns::Make(uint8_t run, uint8_t zeros, Offsets offsets, bool is_64) {
  const uint64_t mask = WidthMask(is_64);
  uint64_t firsts = 0;
  for (int first = 0; first < kLanes; first += run) {
    const uint64_t base = offsets[first];
    firsts |= base & mask;
    for (int lane = first; lane < first + run; ++lane) {
      offsets[lane] = (offsets[lane] - base) & mask;
    }
  }
  if (firsts != 0) zeros = static_cast<uint8_t>(std::min<int>(zeros, std::countr_zero(firsts)));
  return {run, zeros, Intern(offsets)};
}

LaneShape LanePatterns::MakeUniform(uint8_t run, uint8_t zeros, uint64_t offset, bool is_64) {
  const uint64_t base = offset & WidthMask(is_64);
  if (base != 0) zeros = static_cast<uint8_t>(std::min<int>(zeros, std::countr_zero(base)));
  return {run, zeros, kUniform};
}

LaneShape LanePatterns::InRuns(LaneShape shape, uint8_t run, bool is_64) {
  if (shape.run <= run) return shape;
  if (shape.offsets == kUniform) return {run, shape.zeros, kUniform};
  return Make(run, shape.zeros, patterns_[shape.offsets].offsets, is_64);
}

LaneShape LanePatterns::Meet(LaneShape a, LaneShape b, bool is_64) {
  if (a.IsUnseen()) return b;
  if (b.IsUnseen()) return a;
  for (uint8_t run = std::min(a.run, b.run);; run = static_cast<uint8_t>(run / 2)) {
    a = InRuns(a, run, is_64);
    b = InRuns(b, run, is_64);
    if (a.offsets == b.offsets) return {run, std::min(a.zeros, b.zeros), a.offsets};
  }
}

uint8_t LanePatterns::UniformRun(LaneShape shape) const {
  return std::min(shape.run, patterns_[shape.offsets].uniform);
}

}  // namespace gcnjit::ir
