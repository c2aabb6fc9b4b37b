#include "differential/sweep_state.h"

#include <algorithm>
#include <bit>

#include "differential/random_images.h"
#include "differential/values.h"
#include "frontend/flow/register_access.h"
#include "isa/aperture.h"
#include "isa/encodings.h"
#include "isa/image_operands.h"

namespace gcnjit::differential {
namespace {

using frontend::Encoding;
using frontend::Operand;
using frontend::OperandKind;
using frontend::OperandType;
using runtime::kLanes;

uint64_t SpecialCount(OperandType type) {
  switch (type) {
    case OperandType::F64: return SpecialF64().size();
    case OperandType::F16:
    case OperandType::P16F:
    case OperandType::MIX: return SpecialF16().size();
    case OperandType::F32: return SpecialF32().size();
    default: return SpecialIntegers().size();
  }
}

uint64_t Special(OperandType type, uint64_t n, Random& random) {
  switch (type) {
    case OperandType::F64: return SpecialF64()[n];
    case OperandType::F16:
    case OperandType::P16F:
    case OperandType::MIX:
      return SpecialF16()[n] |
             static_cast<uint32_t>(random.Pick({0, 1, 2}) == 0 ? random.Bits(16)
                                                               : SpecialF16()[random.Below(32)])
                 << 16;
    case OperandType::F32: return SpecialF32()[n];
    default: {
      // The high half of a pair is special as well, or the sign.
      const uint64_t value = SpecialIntegers()[n];
      const uint64_t high = random.Percent(50) ? (value >> 31 != 0 ? 0xFFFFFFFF : 0)
                                               : RandomValue(random, ValueKind::kInteger);
      return value | high << 32;
    }
  }
}

uint64_t RandomOf(OperandType type, Random& random) {
  if (type == OperandType::F64) return RandomF64(random);
  const ValueKind kind = random.Percent(50) ? ValueKind::kF32Near : ValueKind::kRandom;
  return RandomValue(random, IsFloat(type) ? kind : ValueKind::kRandom) |
         static_cast<uint64_t>(random.Word()) << 32;
}

bool IsRegister(const Operand& operand) {
  return operand.kind == OperandKind::kVector || operand.kind == OperandKind::kScalar;
}

}  // namespace

SweepState::SweepState(const Machine& machine, const Program& program,
                       const frontend::Instruction& instruction)
    : machine_(machine), instruction_(instruction) {
  FillInitialState(machine, program, 0, initial_);
  std::ranges::copy(initial_.wave.sgpr, registers_);
}

uint64_t SweepState::Combinations() const {
  uint64_t combinations = 1;
  for (const Operand& operand : instruction_.src) {
    if (IsRegister(operand)) combinations *= SpecialCount(operand.type);
  }
  return (combinations + kLanes - 1) / kLanes;
}

void SweepState::Fill(uint64_t n, Random& random) {
  runtime::WaveState& wave = initial_.wave;
  wave.SetPair(frontend::kCodeExecLo, n % 4 == 3 ? random.Next() : ~uint64_t{0});
  wave.scc = random.Bits(1);
  FillOperands(n, random);
  if (!frontend::IsVectorAlu(instruction_.encoding)) FillMemoryOperands(random);
  uint32_t& m0 = wave.sgpr[frontend::kCodeM0];
  const std::string_view id = instruction_.row().id;
  const bool direct = std::ranges::any_of(instruction_.src, [](const Operand& operand) {
    return operand.kind == OperandKind::kSpecial && operand.index == frontend::kCodeLdsDirect;
  });
  if (instruction_.gds) {
    m0 = 8 * random.Below(256) << 16 | 0x1000;
  } else if (id.find("MOVREL") != id.npos) {
    m0 = random.Percent(90) ? 2 * random.Below(2) : random.Below(128) - 64;
  } else if (direct) {
    m0 = random.Pick({0u, 1u, 2u, 4u, 5u}) << 16 | 4 * random.Below(1024);
  } else {
    m0 = random.Percent(80) ? ~0u : random.Below(4096);
  }
}

void SweepState::FillOperands(uint64_t n, Random& random) {
  const bool special = n < Combinations();
  for (int lane = 0; lane < kLanes; ++lane) {
    uint64_t combination = n * kLanes + static_cast<uint64_t>(lane);
    for (const Operand& operand : instruction_.src) {
      if (!IsRegister(operand)) continue;
      const uint64_t count = SpecialCount(operand.type);
      PutValue(operand, lane,
               special ? Special(operand.type, combination % count, random)
                       : RandomOf(operand.type, random));
      combination /= count;
    }
    // What a lane that is not written keeps, and the addend of v_mac.
    if (instruction_.dst.kind == OperandKind::kVector &&
        instruction_.row().Has(frontend::READS_DST)) {
      const OperandType type = instruction_.dst.type;
      PutValue(instruction_.dst, lane,
               Special(type, random.Below(static_cast<uint32_t>(SpecialCount(type))), random));
    }
  }
}

void SweepState::PutValue(const Operand& operand, int lane, uint64_t value) {
  runtime::WaveState& wave = initial_.wave;
  const int registers = std::clamp(RegistersOf(operand.type), 1, 2);
  for (int n = 0; n < registers; ++n) {
    const auto word = static_cast<uint32_t>(value >> 32 * n);
    if (operand.kind == OperandKind::kVector) {
      wave.vgpr[operand.index + n][lane] = word;
    } else if (lane == 0 && operand.index < frontend::kCodeExecLo) {
      wave.sgpr[operand.index + n] = word;  // one for all lanes; EXEC has its own values
    }
  }
}

void SweepState::PutScalarAddress(const Operand& operand, bool resource, Random& random) {
  if (operand.kind != OperandKind::kScalar || operand.index + 4 > frontend::kCodeExecLo) return;
  constexpr uint32_t kResources[] = {kBuffer, kBuffer, kStructured, kSwizzled, kFormatted};
  const uint32_t from = resource ? random.Pick(kResources) : uint32_t{kDataMiddle};
  if (!resource) {
    initial_.wave.SetPair(operand.index, machine_.data() + Machine::kDataBytes / 2);
    return;
  }
  std::copy_n(&registers_[from], 4, &initial_.wave.sgpr[operand.index]);
}

uint64_t SweepState::SplitBase(Random& random) {
  const Operand& resource = instruction_.src[2];
  if (!instruction_.addr64 || resource.index + 4 > frontend::kCodeExecLo) return 0;
  constexpr uint32_t kHighMask = 0xFFFF;
  uint32_t* const words = &initial_.wave.sgpr[resource.index];
  if (random.Percent(30)) {
    words[0] = ~0u - 16 * random.Below(8) - 15;
    words[1] |= kHighMask;
  }
  const uint64_t base = words[0] | uint64_t{words[1] & kHighMask} << 32;
  constexpr int kAddressBits = 48;
  return base + (random.Percent(30) ? uint64_t{random.Word()} << kAddressBits : 0);
}

// Of LDS by its aperture: within it, around its end, or so that the instruction's offset wraps.
void SweepState::PutLdsAddresses(const Operand& operand, Random& random) {
  const uint32_t begins[] = {0, Machine::kLdsBytes - 16 * kLanes, Machine::kLdsBytes - 16, ~15u};
  const uint32_t begin = random.Pick(begins);
  const uint32_t step = random.Pick({0u, 1u, 4u, 16u});
  for (uint32_t lane = 0; lane < kLanes; ++lane) {
    const uint32_t within = begin == 0 ? 4 * random.Below(Machine::kLdsBytes / 4 - 8) : lane * step;
    const bool is_elsewhere = begin != 0 && random.Percent(2);
    initial_.wave.vgpr[operand.index][lane] = begin + within;
    initial_.wave.vgpr[operand.index + 1][lane] =
        static_cast<uint32_t>(kSharedAperture >> 32) + (is_elsewhere ? 1 : 0);
  }
}

void SweepState::PutLaneAddresses(const Operand& operand, Random& random) {
  if (operand.kind != OperandKind::kVector) return;
  const uint64_t base = SplitBase(random);
  const bool is_pair = operand.type == OperandType::VADDR64 || instruction_.addr64;
  const uint32_t step = random.Pick({0u, 4u, 8u, 12u, 16u});
  const uint32_t first = 16 * random.Below(32);
  const bool scattered = random.Percent(50);
  const uint32_t unaligned = random.Percent(15) ? 3 : 0;
  for (uint32_t lane = 0; lane < kLanes; ++lane) {
    const uint32_t offset =
        (scattered ? 16 * random.Below(128) : first + step * lane) + (unaligned & random.Word());
    if (is_pair) {
      const uint64_t address = machine_.data() + Machine::kDataBytes / 2 + offset - base;
      initial_.wave.vgpr[operand.index][lane] = static_cast<uint32_t>(address);
      initial_.wave.vgpr[operand.index + 1][lane] = static_cast<uint32_t>(address >> 32);
    } else {
      initial_.wave.vgpr[operand.index][lane] =
          instruction_.encoding == Encoding::kScratch ? offset % 128 : offset;
      // An index and an offset.
      if (instruction_.offen && instruction_.idxen) {
        initial_.wave.vgpr[operand.index + 1][lane] = 16 * random.Below(8);
      }
    }
  }
}

void SweepState::FillMemoryOperands(Random& random) {
  const Operand* src = instruction_.src;
  const auto small = [&](const Operand& operand, uint32_t limit) {
    if (operand.kind == OperandKind::kScalar && operand.index < frontend::kCodeExecLo) {
      initial_.wave.sgpr[operand.index] = 16 * random.Below(limit / 16);
    }
  };
  // Bases and offsets of scalar accesses may have low bits, which count in the sum.
  const auto unalign = [&](const Operand& operand) {
    if (operand.kind == OperandKind::kScalar && operand.index < frontend::kCodeExecLo) {
      initial_.wave.sgpr[operand.index] += random.Percent(30) ? random.Below(4) : 0;
    }
  };
  switch (instruction_.encoding) {
    case Encoding::kSmrd:
    case Encoding::kSmem:
      PutScalarAddress(src[0], RegistersOf(src[0].type) == 4, random);
      small(src[1], 512);
      unalign(src[0]);
      unalign(src[1]);
      return;
    case Encoding::kMubuf:
    case Encoding::kMtbuf:
      PutScalarAddress(src[2], true, random);
      small(src[3], 512);
      PutLaneAddresses(src[0], random);
      return;
    case Encoding::kGlobal:
      PutScalarAddress(src[2], false, random);
      PutLaneAddresses(src[0], random);
      return;
    case Encoding::kScratch:
      small(src[2], 128);
      PutLaneAddresses(src[0], random);
      return;
    case Encoding::kMimg: return FillImage(random);
    case Encoding::kFlat:
      if (random.Percent(35)) return PutLdsAddresses(src[0], random);
      PutLaneAddresses(src[0], random);
      return;
    case Encoding::kDs: PutLaneAddresses(src[0], random); return;
    default: return;
  }
}

// Another image and sampler each time; half of the coordinates are in it or near.
void SweepState::FillImage(Random& random) {
  constexpr uint32_t kLayered = 4u << 28;  // types 12 and 13, which are 8 and 9 otherwise
  runtime::WaveState& wave = initial_.wave;
  PutRandomImage(machine_, machine_.dispatch.processor.generation, random, /*is_sweep=*/true, wave);
  const frontend::Operand* const src = instruction_.src;
  const bool compares = frontend::ImageFormOf(instruction_.row()).compares;
  uint32_t* const image = &wave.sgpr[compares ? kDepthImage : kImage];
  if (!instruction_.da && image[3] >> 28 > 11) image[3] &= ~kLayered;
  std::copy_n(image, 8, &wave.sgpr[src[2].index]);
  const bool has_sampler = src[3].kind == OperandKind::kScalar;
  if (has_sampler) std::copy_n(&wave.sgpr[kSampler], 4, &wave.sgpr[src[3].index]);
  if (random.Percent(50)) return;
  for (int n = 0; n < 4 && src[0].index + n < runtime::kMaxVgprs; ++n) {
    for (uint32_t& lane : wave.vgpr[src[0].index + n]) {
      const float texels = static_cast<float>(random.Below(24 * 256)) / 256 - 4;
      lane = has_sampler ? std::bit_cast<uint32_t>(texels) : random.Below(10);
    }
  }
}

}  // namespace gcnjit::differential
