#include "runtime/check/uninit_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "isa/vgpr_limit.h"

namespace gcnjit::runtime::check {

using frontend::Encoding;
using frontend::Opcode;

UninitCheck::UninitCheck(const LaunchState& launch, const GuestMemory& memory, Findings& findings)
    : launch_(launch), findings_(findings), unwritten_(memory) {}

void UninitCheck::StartWave(ShadowRegisters& shadow, uint64_t scratch_begin, uint64_t scratch_end) {
  shadow.Start(launch_.descriptor, launch_.processor.generation);
  const auto begin = static_cast<std::ptrdiff_t>(scratch_begin - launch_.scratch_base);
  const auto end = static_cast<std::ptrdiff_t>(scratch_end - launch_.scratch_base);
  scratch_.resize(std::max(scratch_.size(), static_cast<size_t>(end)));
  std::fill(scratch_.begin() + begin, scratch_.begin() + end, uint8_t{0xFF});
}

void UninitCheck::Report(FindingKind kind, const Site& site, int lane, const std::string& detail) {
  Evidence evidence{kind, site, {}, 0, 0};
  evidence.site.lane = lane;
  if (Finding* finding = findings_.Add(evidence)) finding->detail = detail;
}

void UninitCheck::Check(Wave& w, const CodeSlot& slot, const InstructionInfo& info,
                        const AccessList& accesses, ShadowRegisters& shadow, const Site& site) {
  const Instruction& i = slot.instruction;
  const bool transfers = i.encoding == Encoding::kSmem || i.encoding == Encoding::kSmrd;
  if (info.accesses_memory || transfers) {
    return CheckMemory(w, i, info, accesses, shadow, site);
  }
  switch (i.opcode) {
    // No result but PC and MODE.
    case Opcode::S_SETPC_B64:
    case Opcode::S_SWAPPC_B64: CheckBranch(w, i, shadow, site); [[fallthrough]];
    case Opcode::S_CALL_B64:
    case Opcode::S_GETPC_B64:
    case Opcode::S_CBRANCH_I_FORK:
    case Opcode::S_CBRANCH_G_FORK:
    case Opcode::S_CBRANCH_JOIN:
    case Opcode::S_SETREG_B32:
    case Opcode::S_SETREG_IMM32_B32: return shadow.DefineWritten(info.registers, w.exec());
    // Not to be tried (influence.h): they act on other waves.
    case Opcode::DS_GWS_INIT:
    case Opcode::DS_GWS_BARRIER: return;
    default: break;
  }
  if (i.encoding == Encoding::kSopp) return CheckBranch(w, i, shadow, site);
  if (influence_.Follow(w, slot, info, shadow)) {
    Report(FindingKind::kUninitializedBranch, site, -1,
           "which lanes go on (EXEC) depends on what was never set");
  }
}

void UninitCheck::CheckBranch(const Wave& w, const Instruction& i, ShadowRegisters& shadow,
                              const Site& site) {
  bool undefined = false;
  const char* what = "SCC";
  switch (i.opcode) {
    case Opcode::S_CBRANCH_SCC0:
    case Opcode::S_CBRANCH_SCC1:
      undefined = shadow.scc();
      shadow.SetScc(false);
      break;
    case Opcode::S_CBRANCH_VCCZ:
    case Opcode::S_CBRANCH_VCCNZ: {
      // One bit that is known to be set decides.
      const uint64_t bits = shadow.Pair(frontend::kCodeVccLo);
      undefined = bits != 0 && (w.state.vcc() & ~bits) == 0;
      what = "VCC";
      break;
    }
    case Opcode::S_SETPC_B64:
    case Opcode::S_SWAPPC_B64:
      undefined = i.src[0].kind == OperandKind::kScalar && shadow.Pair(i.src[0].index) != 0;
      what = "the target";
      break;
    default: return;
  }
  if (!undefined) return;
  Report(FindingKind::kUninitializedBranch, site, -1,
         fmt::format("{} depends on what was never set", what));
}

uint8_t* UninitCheck::ShadowOf(Space space, uint64_t address) {
  if (space == Space::kLds) return address < lds_.size() ? &lds_[address] : nullptr;
  const uint64_t offset = address - launch_.scratch_base;
  return offset < scratch_.size() ? &scratch_[offset] : nullptr;
}

void UninitCheck::CheckMemory(const Wave& w, const Instruction& i, const InstructionInfo& info,
                              const AccessList& accesses, ShadowRegisters& shadow,
                              const Site& site) {
  CheckAddress(w, i, shadow, site);
  if (i.encoding == Encoding::kMimg) CheckImage(w, i, shadow, site);
  if (info.type == AccessType::kAtomic) CheckAtomicData(w, i, shadow, site);
  if (info.type != AccessType::kRead) NoteWritten(accesses);
  if (info.type == AccessType::kWrite) {
    for (const Access& access : accesses) Store(access, shadow, site);
    return;
  }
  // D16 loads keep a half, or set it.
  const bool keeps_half = info.type == AccessType::kRead && info.bytes < 4 && !info.extends;
  if (keeps_half && i.dst.kind == OperandKind::kVector) {
    shadow.DefineVgpr(i.dst.index, w.exec(), 0xFFFFu << (8 * info.register_byte));
  } else {
    shadow.DefineWritten(info.registers, w.exec());
  }
  if (i.encoding == Encoding::kMimg && info.type == AccessType::kRead) {
    LoadTexels(w, i, accesses, shadow);
  }
  for (const Access& access : accesses) {
    if (access.type == AccessType::kRead) Load(access, shadow);
    if (access.type == AccessType::kAtomic) Define(access);
  }
}

// Of all lanes the first is reported, and the register taken for defined from then on.
void UninitCheck::CheckVectorAddress(const Wave& w, int reg, uint32_t bits, ShadowRegisters& shadow,
                                     const Site& site) {
  if (reg >= kVectorRegisters) return;
  const auto n = static_cast<size_t>(reg);
  const uint64_t lanes = shadow.UndefinedLanes(n) & w.exec();
  for (uint64_t left = lanes; left != 0; left &= left - 1) {
    const int lane = std::countr_zero(left);
    if ((shadow.Vgpr(n)[lane] & bits) == 0) continue;
    Report(FindingKind::kUninitializedAddress, site, lane,
           frontend::VectorRegisterName(reg) + " depends on what was never set");
    return shadow.DefineVgpr(n, lanes);
  }
}

void UninitCheck::CheckScalarAddress(const Operand& operand, int count, ShadowRegisters& shadow,
                                     const Site& site) {
  if (operand.kind != OperandKind::kScalar) return;
  for (int n = operand.index; n < operand.index + count && n < 128; ++n) {
    if (shadow.Sgpr(static_cast<size_t>(n)) == 0) continue;
    Report(FindingKind::kUninitializedAddress, site, -1,
           fmt::format("s{} depends on what was never set", n));
    shadow.SetSgpr(static_cast<size_t>(n), 0);
  }
}

void UninitCheck::CheckAddress(const Wave& w, const Instruction& i, ShadowRegisters& shadow,
                               const Site& site) {
  const auto check_vector = [&](int first, int count) {
    for (int n = first; n < first + count; ++n) CheckVectorAddress(w, n, ~0u, shadow, site);
  };
  const auto check_scalar = [&](const Operand& operand, int count) {
    CheckScalarAddress(operand, count, shadow, site);
  };
  const Operand& address = i.src[0];
  switch (i.encoding) {
    case Encoding::kSmrd:
    case Encoding::kSmem:
      check_scalar(i.src[0], frontend::RegistersOf(i.src[0].type));
      return check_scalar(i.src[1], 1);
    case Encoding::kDs:
      if (address.kind == OperandKind::kVector) check_vector(address.index, 1);
      return;
    case Encoding::kMubuf:
    case Encoding::kMtbuf:
      if (address.kind == OperandKind::kVector) {
        check_vector(address.index, i.addr64 ? 2 : static_cast<int>(i.offen) + i.idxen);
      }
      check_scalar(i.src[2], 4);
      return check_scalar(i.src[3], 1);
    case Encoding::kFlat:
    case Encoding::kGlobal:
    case Encoding::kScratch: {
      const bool has_base = i.src[2].kind == OperandKind::kScalar;
      const bool is_pair = i.encoding != Encoding::kScratch && !has_base;
      if (address.kind == OperandKind::kVector) check_vector(address.index, is_pair ? 2 : 1);
      return check_scalar(i.src[2], i.encoding == Encoding::kScratch ? 1 : 2);
    }
    default: return;
  }
}

void UninitCheck::Store(const Access& access, const ShadowRegisters& shadow, const Site& site) {
  if (access.converted != nullptr) return StoreConverted(access, shadow, site);
  if (access.reg < 0) return;
  ForEachLane(access.mask, [&](int lane) {
    for (uint32_t n = 0; n < access.bytes; ++n) {
      const uint32_t at = access.register_byte + n;
      const auto reg = static_cast<size_t>(access.reg) + at / 4;
      const uint32_t bits = access.is_scalar ? shadow.Sgpr(reg) : shadow.Vgpr(reg)[lane];
      const auto undefined = static_cast<uint8_t>(bits >> (at % 4 * 8));
      if (uint8_t* memory = ShadowOf(access.space, access.at[lane] + n)) {
        *memory = undefined;
      } else if (undefined != 0 && access.space == Space::kGlobal) {
        Report(
            FindingKind::kUninitializedStore, site, access.is_scalar ? -1 : lane,
            fmt::format("{}{} depends on what was never set", access.is_scalar ? 's' : 'v', reg));
        return true;
      }
    }
    return true;
  });
}

// Components that the format does not have are not stored. What is made of bits that are not
// defined counts as defined in LDS and scratch.
void UninitCheck::StoreConverted(const Access& access, const ShadowRegisters& shadow,
                                 const Site& site) {
  Define(access);
  if (access.register_byte != 0) return;
  ForEachLane(access.mask, [&](int lane) {
    if (ShadowOf(access.space, access.at[lane]) != nullptr) return true;
    for (const ValueBits& source : access.converted->sources) {
      if (source.reg < 0) continue;
      const auto reg = static_cast<size_t>(source.reg);
      if ((shadow.Vgpr(reg)[lane] & source.bits) == 0) continue;
      Report(FindingKind::kUninitializedStore, site, lane,
             fmt::format("v{} depends on what was never set", reg));
      return true;
    }
    return true;
  });
}

void UninitCheck::Load(const Access& access, ShadowRegisters& shadow) {
  if (access.reg < 0 || access.is_scalar) return;
  ForEachLane(access.mask, [&](int lane) {
    uint8_t last = 0;
    for (uint32_t n = 0; n < access.bytes; ++n) {
      const uint8_t* memory = ShadowOf(access.space, access.at[lane] + n);
      if (memory == nullptr) continue;
      last = *memory;
      if (last == 0) continue;
      const uint32_t at = access.register_byte + n;
      const uint32_t shift = at % 4 * 8;
      shadow.SetVgpr(static_cast<size_t>(access.reg) + at / 4, lane, uint32_t{last} << shift,
                     0xFFu << shift);
    }
    return true;
  });
}

void UninitCheck::NoteWritten(const AccessList& accesses) {
  for (const Access& access : accesses) {
    if (access.space != Space::kGlobal || access.type == AccessType::kRead) continue;
    ForEachLane(access.mask, [&](int lane) {
      unwritten_.Write(access.at[lane], access.bytes);
      return true;
    });
  }
}

// What an atomic makes of bytes that are not defined depends on it; they count as defined.
void UninitCheck::Define(const Access& access) {
  ForEachLane(access.mask, [&](int lane) {
    for (uint32_t n = 0; n < access.bytes; ++n) {
      if (uint8_t* memory = ShadowOf(access.space, access.at[lane] + n)) *memory = 0;
    }
    return true;
  });
}

void UninitCheck::CheckAtomicData(const Wave& w, const Instruction& i, ShadowRegisters& shadow,
                                  const Site& site) {
  for (size_t n = 1; n < 3; ++n) {
    const Operand& data = i.src[n];
    if (data.kind != OperandKind::kVector) continue;
    for (int r = 0; r < frontend::VgprsOf(i, data); ++r) {
      const auto reg = static_cast<size_t>(data.index + r);
      const uint64_t lanes = shadow.UndefinedLanes(reg) & w.exec();
      if (lanes == 0) continue;
      Report(FindingKind::kUninitializedStore, site, std::countr_zero(lanes),
             fmt::format("v{} depends on what was never set", reg));
      shadow.DefineVgpr(reg, lanes);
    }
  }
}

}  // namespace gcnjit::runtime::check
