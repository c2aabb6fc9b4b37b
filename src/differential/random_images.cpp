// Fields: src/runtime/image/image_resource.h and image_sampler.h have the sources.
#include "differential/random_images.h"

#include <algorithm>

#include "differential/registers.h"

namespace gcnjit::differential {
namespace {

struct ImageFormatCode {
  uint32_t data;
  uint32_t number;
  uint32_t components;
};

ImageFormatCode RandomImageFormat(Random& random) {
  constexpr uint32_t kSrgb = 9;
  // 5_6_5, 1_5_5_5, 5_5_5_1, 4_4_4_4.
  if (random.Percent(10)) {
    const uint32_t data = random.Between(16, 19);
    return {data, random.Pick({0u, 1u, 4u, 5u}), data == 16 ? 3u : 4u};
  }
  if (random.Percent(5)) return {10, kSrgb, 4};
  const BufferFormat format = RandomBufferFormat(random, 0);
  return {format.data, format.number, ComponentsOfFormat(format.data)};
}

// The components in order, and constants or others for those that there are not.
uint32_t RandomSelects(Random& random, uint32_t components) {
  uint32_t selects = 0;
  for (uint32_t n = 0; n < 4; ++n) {
    const uint32_t other = random.Percent(50) ? random.Bits(1) : 4 + random.Below(components);
    const bool is_own = n < components && random.Percent(95);
    selects |= (is_own ? 4 + n : other) << 3 * n;
  }
  return selects;
}

// Levels as image_levels.h has them, of sides that are powers of two.
void PutLevels(bool gfx9, uint32_t bytes, Random& random, uint32_t* words) {
  const uint32_t type = words[3] >> 28;
  const bool has_rows = type != 8 && type != 12;
  const uint32_t width = 1u << random.Below(5);
  const uint32_t height = has_rows ? 1u << random.Below(4) : 1;
  const uint32_t depth = 1u << random.Below(3);
  const uint32_t most = random.Between(1, 5);
  const uint32_t last = random.Below(most + 1);
  words[2] = (width - 1) | (height - 1) << 14;
  words[3] |= random.Below(last + 1) << 12 | last << 16 | (gfx9 ? 0 : 1u << 25);
  uint32_t rows = 0;
  for (uint32_t n = 0, of = height; n <= most; ++n, of = (of + 1) / 2) rows += of;
  const uint32_t slice = std::max(64u, 256 / bytes);
  const uint32_t pitch = std::max({width, 8u, 64 / bytes, slice / height});
  words[4] = (depth - 1) | ((gfx9 ? rows : pitch) - 1) << 13;
  words[5] = gfx9 ? most << 28 : (depth - 1) << 13;
}

// Of those that can have levels; 0: three dwords.
uint32_t BytesOfImageFormat(uint32_t data) {
  constexpr uint32_t kBytes[] = {0, 1, 2, 2, 4, 4, 4, 4, 4, 4, 4, 8, 8, 0, 16, 0, 2, 2, 2, 2};
  return kBytes[data];
}

// kImage with one component of 32 FLOAT: the first that an instruction can ask for, or all.
void PutDepthImage(Random& random, runtime::WaveState& wave) {
  constexpr uint32_t kFloat32 = 4 << 20 | 7 << 26, kFormatField = 0x3FF << 20;
  constexpr uint32_t kOwn = 4 | 1 << 9, kAll = 4 | 4 << 3 | 4 << 6 | 4 << 9, kSelectField = 0xFFF;
  uint32_t* const words = &wave.sgpr[kDepthImage];
  std::copy_n(&wave.sgpr[kImage], 8, words);
  words[1] = (words[1] & ~kFormatField) | kFloat32;
  words[3] = (words[3] & ~kSelectField) | (random.Percent(80) ? kOwn : kAll);
  if (words[3] >> 28 == 10) words[3] ^= (10u ^ random.Pick({8u, 9u})) << 28;
}

}  // namespace

void PutRandomImage(const Machine& machine, frontend::Generation generation, Random& random,
                    bool is_sweep, runtime::WaveState& wave) {
  constexpr uint32_t kPage = 256;  // the unit of bases
  const ImageFormatCode format = RandomImageFormat(random);
  const bool gfx9 = frontend::IsGfx9(generation);
  const uint32_t width = random.Between(1, 16);
  const uint32_t height = random.Between(1, 8);
  const uint32_t depth = random.Between(1, 4);
  const uint32_t pages = random.Percent(95)
                             ? random.Below(16)
                             : static_cast<uint32_t>(Machine::kDataBytes) / kPage - 1;
  const uint64_t base = machine.data() / kPage + pages;
  uint32_t* const words = &wave.sgpr[kImage];
  words[0] = static_cast<uint32_t>(base);
  words[1] = static_cast<uint32_t>(base >> 32) | format.data << 20 | format.number << 26;
  words[2] = (width - 1) | (height - 1) << 14;
  words[3] = RandomSelects(random, format.components) | (gfx9 ? 0 : 8u << 20) |
             random.Pick({8u, 9u, 9u, 10u, 12u, 13u}) << 28;
  words[4] = (depth - 1) | (width - 1 + random.Below(4)) << 13;
  words[5] = gfx9 ? 0 : (depth - 1) << 13;
  words[6] = words[7] = 0;
  if (is_sweep && random.Percent(5)) {  // one or two cubes
    const uint32_t faces = 6 * random.Between(1, 2);
    words[3] = (words[3] & 0x0FFFFFFF) | 11u << 28;
    words[4] = (words[4] & ~0x1FFFu) | (faces - 1);
    words[5] = gfx9 ? 0 : (faces - 1) << 13;
  }
  PutDepthImage(random, wave);
  const uint32_t bytes = BytesOfImageFormat(format.data);
  const bool is_cube = words[3] >> 28 == 11;
  const uint32_t levels_percent = is_cube ? 0 : is_sweep ? 20 : 3;
  if (bytes != 0 && random.Percent(levels_percent)) PutLevels(gfx9, bytes, random, words);
  if (random.Percent(levels_percent)) PutLevels(gfx9, 4, random, &wave.sgpr[kDepthImage]);

  const bool is_integer = format.number == 4 || format.number == 5;
  const bool linear = !is_integer && random.Percent(60);
  const bool truncates = !linear && random.Percent(30);
  uint32_t* const sampler = &wave.sgpr[kSampler];
  sampler[0] =
      random.Bits(3) << 12 | (random.Percent(50) ? 1u << 15 : 0) | (truncates ? 1u << 27 : 0);
  if (is_cube && random.Percent(90)) sampler[0] |= 1u << 28;  // DISABLE_CUBE_WRAP
  for (int axis = 0; axis < 3; ++axis) {
    sampler[0] |= random.Pick({0u, 1u, 2u, 3u, 6u, 7u}) << 3 * axis;
  }
  sampler[1] = 0xFFFu << 12;
  sampler[2] = linear ? 5u << 20 : 0;
  const bool is_normalized = (sampler[0] >> 15 & 1) == 0;
  if (is_normalized && random.Percent(50))
    sampler[2] |= (is_integer ? 1 : random.Between(1, 2)) << 26;
  sampler[3] = random.Below(3) << 30;
}

}  // namespace gcnjit::differential
