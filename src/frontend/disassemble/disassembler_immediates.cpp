// Immediates with a syntax of their own: waitcnt, sendmsg, hwreg, gpr_idx, swizzle, DPP controls,
// buffer formats, export targets. Spelling and fall-backs are LLVM's (AMDGPUUsage, "Operands").
#include <fmt/format.h>

#include <bit>
#include <span>

#include "frontend/disassemble/disassembler_internal.h"

namespace gcnjit::frontend::disassembler_internal {

std::string WaitcntText(Generation generation, uint32_t imm) {
  const bool gfx9 = IsGfx9(generation);
  const uint32_t vmcnt_max = gfx9 ? 63 : 15;
  const uint32_t vmcnt = (imm & 0xF) | (gfx9 ? (imm >> 14 & 3) << 4 : 0);
  const uint32_t expcnt = imm >> 4 & 7;
  const uint32_t lgkmcnt = imm >> 8 & 0xF;
  // A counter at its maximum does not wait and is left out, unless all are.
  const bool all = vmcnt == vmcnt_max && expcnt == 7 && lgkmcnt == 15;
  std::string text;
  const auto add = [&](const char* name, uint32_t value, uint32_t maximum) {
    if (!all && value == maximum) return;
    text += fmt::format("{}{}({})", text.empty() ? "" : " ", name, value);
  };
  add("vmcnt", vmcnt, vmcnt_max);
  add("expcnt", expcnt, 7);
  add("lgkmcnt", lgkmcnt, 15);
  return text;
}

namespace {

const char* MessageName(Generation generation, uint32_t id) {
  switch (id) {
    case 1: return "MSG_INTERRUPT";
    case 2: return "MSG_GS";
    case 3: return "MSG_GS_DONE";
    case 4: return IsGfx8Plus(generation) ? "MSG_SAVEWAVE" : nullptr;
    case 15: return "MSG_SYSMSG";
    default: break;
  }
  if (!IsGfx9(generation)) return nullptr;
  switch (id) {
    case 5: return "MSG_STALL_WAVE_GEN";
    case 6: return "MSG_HALT_WAVES";
    case 7: return "MSG_ORDERED_PS_DONE";
    case 8: return "MSG_EARLY_PRIM_DEALLOC";
    case 9: return "MSG_GS_ALLOC_REQ";
    case 10: return "MSG_GET_DOORBELL";
    default: return nullptr;
  }
}

constexpr const char* kGsOperations[] = {"GS_OP_NOP", "GS_OP_CUT", "GS_OP_EMIT", "GS_OP_EMIT_CUT"};
constexpr const char* kSystemOperations[] = {nullptr, "SYSMSG_OP_ECC_ERR_INTERRUPT",
                                             "SYSMSG_OP_REG_RD", "SYSMSG_OP_HOST_TRAP_ACK",
                                             "SYSMSG_OP_TTRACE_PC"};

}  // namespace

std::string SendMessageText(Generation generation, uint32_t imm) {
  const uint32_t id = imm & 0xF;
  const uint32_t operation = imm >> 4 & 7;
  const uint32_t stream = imm >> 8 & 3;
  if (const char* name = MessageName(generation, id)) {
    const bool gs = id == 2 || id == 3;
    if (gs && operation <= 3 && (id == 3 || operation != 0)) {
      if (operation != 0) {
        return fmt::format("sendmsg({}, {}, {})", name, kGsOperations[operation], stream);
      }
      if (stream == 0) return fmt::format("sendmsg({}, {})", name, kGsOperations[operation]);
    }
    if (id == 15 && operation >= 1 && operation <= 4 && stream == 0) {
      return fmt::format("sendmsg({}, {})", name, kSystemOperations[operation]);
    }
    if (!gs && id != 15 && operation == 0 && stream == 0) return fmt::format("sendmsg({})", name);
  }
  if ((id | operation << 4 | stream << 8) == imm) {
    return fmt::format("sendmsg({}, {}, {})", id, operation, stream);
  }
  return fmt::format("{}", imm);
}

std::string HardwareRegisterText(Generation generation, uint32_t imm) {
  static constexpr const char* kNames[] = {
      nullptr,        "HW_REG_MODE",      "HW_REG_STATUS",    "HW_REG_TRAPSTS",
      "HW_REG_HW_ID", "HW_REG_GPR_ALLOC", "HW_REG_LDS_ALLOC", "HW_REG_IB_STS"};
  static constexpr const char* kGfx9Names[] = {"HW_REG_SH_MEM_BASES", "HW_REG_TBA_LO",
                                               "HW_REG_TBA_HI", "HW_REG_TMA_LO", "HW_REG_TMA_HI"};
  static constexpr const char* kGfx942Names[] = {
      "HW_REG_XCC_ID", "HW_REG_SQ_PERF_SNAPSHOT_DATA", "HW_REG_SQ_PERF_SNAPSHOT_DATA1",
      "HW_REG_SQ_PERF_SNAPSHOT_PC_LO", "HW_REG_SQ_PERF_SNAPSHOT_PC_HI"};
  const uint32_t id = imm & 0x3F;
  const uint32_t offset = imm >> 6 & 0x1F;
  const uint32_t width = (imm >> 11 & 0x1F) + 1;
  std::string name = fmt::format("{}", id);
  if (id >= 1 && id < std::size(kNames)) name = kNames[id];
  if (IsGfx9(generation) && id >= 15 && id - 15 < std::size(kGfx9Names)) name = kGfx9Names[id - 15];
  if (Has(generation, kGfx942Isa) && id >= 20 && id - 20 < std::size(kGfx942Names))
    name = kGfx942Names[id - 20];
  if (offset == 0 && width == 32) return fmt::format("hwreg({})", name);
  return fmt::format("hwreg({}, {}, {})", name, offset, width);
}

std::string GprIndexText(uint32_t imm) {
  static constexpr const char* kModes[] = {"SRC0", "SRC1", "SRC2", "DST"};
  if (imm > 15) return fmt::format("{:#x}", imm);
  std::string text = "gpr_idx(";
  for (uint32_t i = 0; i < 4; ++i) {
    if ((imm >> i & 1) == 0) continue;
    if (text.back() != '(') text += ',';
    text += kModes[i];
  }
  return text + ")";
}

namespace {

// Five characters, high lane bit first: 0 or 1 where the lane bit is forced, p where it is kept,
// i where it is inverted.
std::string SwizzleMask(uint32_t and_mask, uint32_t or_mask, uint32_t xor_mask) {
  const uint32_t from0 = or_mask ^ xor_mask;
  const uint32_t from1 = ((0x1F & and_mask) | or_mask) ^ xor_mask;
  std::string text;
  for (uint32_t bit = 0x10; bit != 0; bit >>= 1) {
    const bool p0 = (from0 & bit) != 0;
    const bool p1 = (from1 & bit) != 0;
    text += p0 == p1 ? (p0 ? '1' : '0') : (p0 ? 'i' : 'p');
  }
  return text;
}

}  // namespace

std::string SwizzleText(uint32_t offset) {
  if ((offset & 0xFF00) == 0x8000) {
    return fmt::format("swizzle(QUAD_PERM,{},{},{},{})", offset & 3, offset >> 2 & 3,
                       offset >> 4 & 3, offset >> 6 & 3);
  }
  if ((offset & 0x8000) != 0) return fmt::format("{}", offset);
  const uint32_t and_mask = offset & 0x1F;
  const uint32_t or_mask = offset >> 5 & 0x1F;
  const uint32_t xor_mask = offset >> 10 & 0x1F;
  if (and_mask == 0x1F && or_mask == 0) {
    if (std::has_single_bit(xor_mask)) return fmt::format("swizzle(SWAP,{})", xor_mask);
    if (xor_mask != 0 && std::has_single_bit(xor_mask + 1)) {
      return fmt::format("swizzle(REVERSE,{})", xor_mask + 1);
    }
  }
  const uint32_t group = 0x1F - and_mask + 1;
  if (group > 1 && std::has_single_bit(group) && or_mask < group && xor_mask == 0) {
    return fmt::format("swizzle(BROADCAST,{},{})", group, or_mask);
  }
  return fmt::format("swizzle(BITMASK_PERM,\"{}\")", SwizzleMask(and_mask, or_mask, xor_mask));
}

std::string DppControlText(uint32_t ctrl) {
  if (ctrl <= 0xFF) {
    return fmt::format("quad_perm:[{},{},{},{}]", ctrl & 3, ctrl >> 2 & 3, ctrl >> 4 & 3,
                       ctrl >> 6 & 3);
  }
  switch (ctrl) {
    case 0x130: return "wave_shl:1";
    case 0x134: return "wave_rol:1";
    case 0x138: return "wave_shr:1";
    case 0x13C: return "wave_ror:1";
    case 0x140: return "row_mirror";
    case 0x141: return "row_half_mirror";
    case 0x142: return "row_bcast:15";
    case 0x143: return "row_bcast:31";
    default: break;
  }
  if (ctrl >= 0x150) return fmt::format("row_newbcast:{}", ctrl & 0xF);
  const char* name = ctrl < 0x110 ? "row_shl" : ctrl < 0x120 ? "row_shr" : "row_ror";
  return fmt::format("{}:{}", name, ctrl & 0xF);
}

std::string BufferFormatText(Generation generation, uint32_t dfmt, uint32_t nfmt) {
  static constexpr const char* kData[] = {
      "INVALID",     "8",        "16",          "8_8",        "32",      "16_16",
      "10_11_11",    "11_11_10", "10_10_10_2",  "2_10_10_10", "8_8_8_8", "32_32",
      "16_16_16_16", "32_32_32", "32_32_32_32", "RESERVED_15"};
  static constexpr const char* kNumber[] = {"UNORM", "SNORM", "USCALED",    "SSCALED",
                                            "UINT",  "SINT",  "RESERVED_6", "FLOAT"};
  const char* number = kNumber[nfmt];
  if (nfmt == 6 && !IsGfx8Plus(generation)) number = "SNORM_OGL";
  // The defaults (8, UNORM) are left out.
  const std::string data_text = fmt::format("BUF_DATA_FORMAT_{}", kData[dfmt]);
  const std::string number_text = fmt::format("BUF_NUM_FORMAT_{}", number);
  if (dfmt == 1 && nfmt == 0) return {};
  if (nfmt == 0) return fmt::format("format:[{}]", data_text);
  if (dfmt == 1) return fmt::format("format:[{}]", number_text);
  return fmt::format("format:[{},{}]", data_text, number_text);
}

std::string ExportTargetText(uint32_t target) {
  if (target <= 7) return fmt::format("mrt{}", target);
  if (target == 8) return "mrtz";
  if (target == 9) return "null";
  if (target >= 12 && target <= 15) return fmt::format("pos{}", target - 12);
  if (target >= 32) return fmt::format("param{}", target - 32);
  return fmt::format("invalid_target_{}", target);
}

std::string BitList(std::string_view name, uint32_t bits, int count) {
  std::string text = fmt::format("{}:[", name);
  for (int i = 0; i < count; ++i) {
    if (i != 0) text += ',';
    text += (bits >> i & 1) != 0 ? '1' : '0';
  }
  return text + "]";
}

}  // namespace gcnjit::frontend::disassembler_internal
