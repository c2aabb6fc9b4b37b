#include "differential/registers.h"

#include <algorithm>
#include <cstring>

#include "differential/kernel_registers.h"
#include "differential/random_images.h"
#include "differential/values.h"
#include "runtime/state/scratch_resource.h"

namespace gcnjit::differential {
namespace {

using frontend::Generation;
using runtime::kLanes;
using runtime::WaveState;

uint64_t RandomExec(Random& random) {
  switch (random.Below(12)) {
    case 0: return random.Next();
    case 1: return random.Next() & random.Next();
    case 2: return random.Next() | random.Next();
    case 3: return (uint64_t{1} << random.Below(64)) - 1;
    case 4: return uint64_t{1} << random.Below(64);
    case 5: return random.Percent(20) ? 0 : 0x5555555555555555;
    default: return ~uint64_t{0};
  }
}

// Words 2 and 3 of a resource as HSA compilers make it: 32-bit elements, components in order.
constexpr uint32_t kWord3Plain = 4 | 5 << 3 | 6 << 6 | 7 << 9 | 4u << 12 | 4u << 15;

void PutResource(WaveState& wave, uint32_t at, uint64_t base, uint32_t stride, uint32_t records,
                 uint32_t word3) {
  wave.sgpr[at] = static_cast<uint32_t>(base);
  wave.sgpr[at + 1] = (static_cast<uint32_t>(base >> 32) & 0xFFFF) | stride << 16;
  wave.sgpr[at + 2] = records;
  wave.sgpr[at + 3] = word3;
}

void FillSgprs(const Machine& machine, Generation generation, Random& random, WaveState& wave) {
  for (uint32_t& reg : wave.sgpr) reg = RandomValue(random, RandomKind(random));
  wave.SetPair(kDataBase, machine.data());
  wave.SetPair(kDataMiddle, machine.data() + Machine::kDataBytes / 2);
  // Some end, at any byte, among the offsets that lanes and SOFFSET have.
  const uint32_t bytes = random.Percent(80) ? Machine::kDataBytes : random.Below(4096);
  PutResource(wave, kBuffer, machine.data(), 0, bytes, kWord3Plain);
  const uint32_t stride = 4 * random.Between(1, 16);
  // Indices are often multiples of 16: some shall be the first one that is out of range.
  const auto records = [&] {
    return random.Percent(50) ? 16 * random.Between(2, 12) : random.Between(32, 192);
  };
  // Swizzled ones have element sizes and index strides.
  const bool swizzled = random.Percent(25);
  PutResource(wave, kStructured, machine.data(), stride | (swizzled ? 1u << 15 : 0), records(),
              kWord3Plain | (swizzled ? random.Bits(4) << 19 : 0));
  PutResource(wave, kSwizzled, machine.scratch(), runtime::kScratchHigh1, Machine::kScratchBytes,
              runtime::ScratchWord3(generation));
  const BufferFormat format = RandomBufferFormat(random, 0);
  uint32_t formatted = format.number << 12 | format.data << 15;
  for (uint32_t n = 0; n < ComponentsOfFormat(format.data); ++n) formatted |= (4 + n) << 3 * n;
  if (random.Percent(30)) {  // other components: 0, 1, or any of the four
    formatted &= ~0xFFFu;
    for (int n = 0; n < 4; ++n) {
      const uint32_t constant = random.Bits(1);
      const uint32_t component = 4 + random.Below(ComponentsOfFormat(format.data));
      formatted |= (random.Percent(30) ? constant : component) << 3 * n;
    }
  }
  PutResource(wave, kFormatted, machine.data(), random.Percent(50) ? stride : 0, records(),
              formatted);
  PutResource(wave, kFreeAddress, 0, 0, 0xFFFFFFFF, kWord3Plain);
  PutRandomImage(machine, generation, random, /*is_sweep=*/false, wave);
  wave.sgpr[kLoopCounters] = random.Below(3);
  wave.sgpr[kLoopCounters + 1] = random.Below(3);
  wave.SetPair(kReturn, machine.code());
  wave.sgpr[kSmallOffset] = 16 * random.Below(32);
  wave.sgpr[kZero] = 0;
  wave.SetPair(kScratchAddress, machine.scratch());
  wave.sgpr[kScratchOffset] = 4 * random.Below(Machine::kScratchPerLane / 4 - 32);
  const int code = frontend::FlatScratchCode(generation);
  if (frontend::Has(generation, frontend::kFlatScratchIsAddress)) {
    wave.SetPair(code, machine.scratch());
  } else if (frontend::Has(generation, frontend::kHasFlat)) {
    wave.sgpr[code] = Machine::kScratchPerLane;
    wave.sgpr[code + 1] = 0;
  }
  wave.SetPair(frontend::kCodeVccLo, random.Percent(20) ? 0 : random.Next());
  wave.sgpr[frontend::kCodeM0] = random.Percent(80) ? ~0u : random.Below(4096);
  wave.SetPair(frontend::kCodeExecLo, RandomExec(random));
}

void FillVgprPair(Random& random, uint32_t* low, uint32_t* high) {
  for (int lane = 0; lane < kLanes; ++lane) {
    const uint64_t value = RandomF64(random);
    low[lane] = static_cast<uint32_t>(value);
    high[lane] = static_cast<uint32_t>(value >> 32);
  }
}

void FillVgprs(uint32_t begin, uint32_t end, Random& random, WaveState& wave) {
  for (uint32_t reg = begin; reg < end; ++reg) {
    const ValueKind kind = RandomKind(random);
    if (kind == ValueKind::kF64 && reg % 2 == 0 && reg + 1 < end) {
      FillVgprPair(random, wave.vgpr[reg], wave.vgpr[reg + 1]);
      ++reg;
      continue;
    }
    const uint32_t first = RandomValue(random, kind);
    const uint32_t step = random.Pick({0u, 1u, 4u, 16u});
    const bool is_progression = random.Percent(15);
    for (uint32_t lane = 0; lane < kLanes; ++lane) {
      wave.vgpr[reg][lane] = is_progression ? first + lane * step : RandomValue(random, kind);
    }
  }
}

// As at a kernel's start.
void FillWorkItemIds(const ProgramGroup& group, WaveState& wave) {
  for (uint32_t lane = 0; lane < kLanes; ++lane) {
    uint32_t item = group.wave * kLanes + lane;
    for (uint32_t n = 0; n < std::max(group.id_vgprs, 1u); ++n) {
      wave.vgpr[n][lane] = item % group.size[n];
      item /= group.size[n];
    }
  }
}

void FillAddresses(const Machine& machine, const VgprPlan& plan, Random& random, WaveState& wave) {
  const uint64_t distance = random.Pick({0u, 4u, 8u, 12u, 16u});  // 0: all lanes the same
  // Now and then around the end of what may be written, or of all memory.
  const uint64_t end = random.Percent(50) ? Machine::kDataBytes : Machine::kMemoryBytes;
  const uint64_t first = random.Percent(92) ? 16 * random.Between(4, 255)
                                            : end - 4 * random.Below(random.Percent(50) ? 8 : 256);
  // Lanes whose addresses are like their neighbours' but for the high dwords.
  const uint64_t elsewhere = random.Percent(2) ? random.Next() & random.Next() : 0;
  const uint64_t apertures[] = {kSharedAperture, kPrivateAperture, machine.data()};
  const uint32_t aperture = random.Below(4);  // 3: lanes differ
  const uint32_t misaligned = random.Percent(4) ? 3 : 0;
  for (uint64_t lane = 0; lane < kLanes; ++lane) {
    const uint64_t step = lane * distance;
    const auto put = [&](uint32_t reg, uint64_t value) {
      wave.vgpr[reg][lane] = static_cast<uint32_t>(value);
      wave.vgpr[reg + 1][lane] = static_cast<uint32_t>(value >> 32);
    };
    put(plan.linear_address(), machine.data() + first + step + ((elsewhere >> lane & 1) << 32));
    put(plan.walking_address(), machine.data() + first + step);
    put(plan.random_address(),
        machine.data() + 4096 + 16 * random.Below(512) + (misaligned & random.Word()));
    put(plan.shared_address(), apertures[aperture == 3 ? random.Below(3) : aperture] +
                                   16 * random.Below(Machine::kScratchPerLane / 16 - 5));
    wave.vgpr[plan.linear_offset()][lane] = static_cast<uint32_t>(step);
    wave.vgpr[plan.random_offset()][lane] = 16 * random.Below(128);
    wave.vgpr[plan.lane_counter()][lane] = random.Below(16);
  }
}

// Of GenerateKernel.
void FillKernelArguments(const Machine& machine, const ProgramRows& rows, Random& random,
                         WaveState& wave) {
  for (const RowArgument& argument : rows.arguments) {
    uint32_t value = random.Between(argument.least, argument.most);
    if (random.Percent(20)) value = argument.most;
    if (random.Percent(8)) value = argument.least;
    wave.sgpr[argument.dword] = value | (random.Word() & argument.any_bits);
  }
  wave.SetPair(kInput, machine.data() + kInputAt);
  wave.SetPair(kOutput, machine.data() + kAtomicBytes);
  wave.sgpr[kBuffer + 2] = random.Percent(85) ? Machine::kMemoryBytes : random.Below(16384);
}

// Random memory is slow to make and programs change little of it: one image serves them all, from a
// place that depends on the seed.
void FillBytes(Random& random, std::span<std::byte> bytes) {
  static const std::vector<uint32_t> image = [] {
    Random filler(1);
    std::vector<uint32_t> words(3 * Machine::kMemoryBytes / 4);
    ValueKind kind = ValueKind::kRandom;
    for (size_t n = 0; n < words.size(); ++n) {
      if (n % 16 == 0) kind = RandomKind(filler);
      words[n] = RandomValue(filler, kind);
    }
    return words;
  }();
  const uint32_t start = random.Below(static_cast<uint32_t>(image.size() - bytes.size() / 4));
  std::memcpy(bytes.data(), image.data() + start, bytes.size());
}

}  // namespace

uint32_t ComponentsOfFormat(uint32_t data_format) {
  switch (data_format) {
    case 1:
    case 2:
    case 4: return 1;
    case 3:
    case 5:
    case 11: return 2;
    case 6:
    case 7:
    case 13: return 3;
    default: return 4;
  }
}

// Formats by number: GCN3 ISA manual, buffer resource DATA_FORMAT and NUM_FORMAT.
BufferFormat RandomBufferFormat(Random& random, int components) {
  constexpr uint32_t kAny[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14};
  constexpr uint32_t kOne[] = {1, 2, 4};
  constexpr uint32_t kTwo[] = {3, 5, 11};
  constexpr uint32_t kThree[] = {13};
  constexpr uint32_t kFour[] = {8, 9, 10, 12, 14};
  if (random.Percent(10)) return {random.Pick(kAny), random.Bits(3)};
  uint32_t data = 0;
  switch (components) {
    case 1: data = random.Pick(kOne); break;
    case 2: data = random.Pick(kTwo); break;
    case 3: data = random.Pick(kThree); break;
    case 4: data = random.Pick(kFour); break;
    default: data = random.Pick(kAny); break;
  }
  switch (data) {
    case 4:
    case 11:
    case 13:
    case 14: return {data, random.Pick({4u, 5u, 7u})};
    case 2:
    case 5:
    case 12: return {data, random.Pick({0u, 1u, 4u, 5u, 7u})};
    case 6:
    case 7: return {data, 7};
    default: return {data, random.Pick({0u, 1u, 4u, 5u})};
  }
}

void FillInitialState(const Machine& machine, const Program& program, uint32_t round,
                      InitialState& state) {
  Random random(program.seed ^ 0x5EED ^ uint64_t{round} << 48);
  WaveState& wave = state.wave;
  const VgprPlan plan{program.vgpr_count};
  FillSgprs(machine, program.generation, random, wave);
  FillVgprs(0, plan.pool(), random, wave);
  const ProgramGroup& group = program.group;
  if (random.Percent(group.ids_percent)) FillWorkItemIds(group, wave);
  // What a new wave starts with is not looked at.
  wave.is_new = group.ids_percent == 100 && random.Percent(50);
  const bool starts_full = runtime::GroupShapeOf(group.size, group.id_vgprs).has_whole_waves;
  if (wave.is_new && starts_full) wave.SetPair(frontend::kCodeExecLo, ~uint64_t{0});
  FillAddresses(machine, plan, random, wave);
  wave.scc = random.Bits(1);
  wave.mode = program.mode;
  wave.trapsts = static_cast<uint32_t>(program.seed & 0x1F);
  wave.pc = machine.code();
  wave.vgpr_count = program.vgpr_count;
  wave.acc_vgpr_count = program.vgprs().acc_vgprs;
  FillVgprs(runtime::kFirstAccVgpr, runtime::kFirstAccVgpr + wave.acc_vgpr_count, random, wave);
  wave.wave_in_group = group.wave;
  state.memory.resize(Machine::kMemoryBytes);
  state.lds.resize(Machine::kLdsBytes);
  FillBytes(random, state.memory);
  FillBytes(random, state.lds);
  if (program.rows) {
    static_assert(kRowArgumentBytes <= Machine::kReadOnlyBytes);
    if (program.rows.is_orderly) FillKernelArguments(machine, program.rows, random, wave);
    std::memcpy(&state.memory[Machine::kDataBytes], wave.sgpr, kRowArgumentBytes);
  }
}

}  // namespace gcnjit::differential
