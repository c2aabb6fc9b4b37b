#include "ir/printer.h"

#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <iterator>

#include "ir/matrix.h"
#include "ir/text_format.h"

namespace gcnjit::ir {
namespace {

// As an attribute or an operand of arithmetic on floats; empty if that would not read back or not
// read better than the bits.
std::string FloatText(uint32_t bits) {
  const float value = std::bit_cast<float>(bits);
  const float magnitude = std::abs(value);
  if (bits == 0 || !(magnitude >= 1e-6f && magnitude <= 1e9f)) return {};
  std::string text = fmt::format("{}", value);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text;
}

std::string IntText(uint64_t value) {
  return value < 65536 ? fmt::format("{}", value) : fmt::format("{:#x}", value);
}

bool TakesFloats(Op op) {
  switch (op) {
    case Op::kFAdd:
    case Op::kFSub:
    case Op::kFMul:
    case Op::kFFma:
    case Op::kFDiv:
    case Op::kFSqrt:
    case Op::kFRound:
    case Op::kFCmp: return true;
    default: return false;
  }
}

class InstPrinter {
 public:
  InstPrinter(const Function& function, const Block& block, Value value, std::string& out)
      : function_(function), block_(block), value_(value), inst_(function[value]), out_(out) {}

  void Print() {
    if (inst_.type != Type::kVoid) Append("%{} = ", value_.id);
    Append("{}", InfoOf(inst_.op).name);
    if (inst_.type != Type::kVoid) Append(".{}", NameOf(inst_.type));
    const TextFormat format = FormatOf(inst_.op);
    switch (format) {
      case TextFormat::kConst: Operand(ConstText(inst_, /*as_float=*/false)); break;
      case TextFormat::kSgpr:
      case TextFormat::kSgpr64: Operand(fmt::format("s{}", inst_.imm)); break;
      case TextFormat::kVgpr:
      case TextFormat::kSetVgpr: Operand(fmt::format("v{}", inst_.imm)); break;
      case TextFormat::kExit: Operand(NameIn(ReasonNames(), inst_.imm)); break;
      default: break;
    }
    for (int n = 0; n < inst_.argument_count; ++n) Operand(ArgText(inst_.args[n]));
    if (inst_.op == Op::kJump || inst_.op == Op::kExit) Operand(AddressText(block_.targets[0]));
    if (inst_.op == Op::kBranch || inst_.op == Op::kProceed) {
      Operand(AddressText(block_.targets[0]));
      Operand(AddressText(block_.targets[1]));
    }
    Attributes(format);
    if (!first_attribute_) out_ += '}';
  }

 private:
  template <typename... Args>
  void Append(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(out_), format, std::forward<Args>(args)...);
  }
  void Operand(std::string_view text) {
    Append("{} {}", first_operand_ ? "" : ",", text);
    first_operand_ = false;
  }
  void Attribute(std::string_view text) {
    Append("{}{}", first_attribute_ ? " {" : ", ", text);
    first_attribute_ = false;
  }
  static std::string AddressText(uint64_t address) { return fmt::format("{:#x}", address); }
  static std::string_view NameIn(std::span<const std::string_view> names, int64_t n) {
    return n >= 0 && static_cast<size_t>(n) < names.size() ? names[static_cast<size_t>(n)] : "?";
  }
  static std::string ConstText(const Inst& inst, bool as_float) {
    const auto value = static_cast<uint64_t>(inst.imm);
    if (inst.type == Type::kU1) return value != 0 ? "true" : "false";
    if (inst.type == Type::kU64) return IntText(value) + ":u64";
    if (as_float) {
      std::string text = FloatText(static_cast<uint32_t>(value));
      if (!text.empty()) return text;
    }
    return IntText(value);
  }
  std::string ArgText(Value arg) const {
    const Inst& inst = function_[arg];
    if (inst.op == Op::kConst) return ConstText(inst, TakesFloats(inst_.op));
    return fmt::format("%{}", arg.id);
  }
  void Offset() {
    if (inst_.imm != 0) Attribute(fmt::format("offset={}", inst_.imm));
  }
  void Env() {
    const FloatEnv env = inst_.env();
    Attribute(NameIn(RoundingNames(), env.bits >> FloatEnv::kRoundShift & 3));
    if ((env.bits & FloatEnv::kFlushInputs) != 0) Attribute("daz");
    if ((env.bits & FloatEnv::kFlushResults) != 0) Attribute("ftz");
  }
  void Access() {
    const MemoryAccess access = inst_.access();
    Attribute(fmt::format("bytes={}", access.bytes));
    if (access.sign_extend) Attribute("signed");
    if (access.space == Space::kFlat) Attribute("flat");
    if (inst_.op == Op::kAtomic || inst_.op == Op::kAtomicLds) {
      Attribute(NameIn(AtomicNames(), static_cast<int64_t>(access.atomic)));
    }
    if (access.flush_inputs) Attribute("daz");
    if (access.flush_results) Attribute("ftz");
    if (access.quadwords) Attribute("quadwords");
    if (access.wraps) Attribute("wraps");
    if (access.indexed) {
      Attribute(
          fmt::format("index={}<<{}", access.index_signed ? "sext" : "zext", access.index_shift));
    }
    Offset();
  }
  void Matrix() {
    const MatrixProduct product = MatrixProduct::Of(inst_);
    const MatrixShape& shape = product.shape;
    Attribute(fmt::format("d={}, c={}", product.d, product.c));
    Attribute(fmt::format("shape={}x{}x{}x{}", shape.m, shape.n, shape.k, shape.blocks));
    Attribute(NameIn(MatrixElementNames(), static_cast<int64_t>(shape.element)));
    if (product.cbsz != 0) Attribute(fmt::format("cbsz={}, abid={}", product.cbsz, product.abid));
    if (product.blgp != 0) Attribute(fmt::format("blgp={}", product.blgp));
  }
  void Attributes(TextFormat format) {
    switch (format) {
      case TextFormat::kSetVgpr: return inst_.aux != 0 ? Attribute(kActiveText) : void();
      case TextFormat::kEnv: return Env();
      case TextFormat::kEnvRound: Attribute(NameIn(FRoundNames(), inst_.imm)); return Env();
      case TextFormat::kEnvHalf:
        Attribute(fmt::format("half={}", NameIn(HalfRoundingNames(), inst_.imm)));
        return Env();
      case TextFormat::kEnvPredicate: Attribute(NameIn(PredicateNames(), inst_.imm)); return Env();
      case TextFormat::kPattern: return Attribute(fmt::format("pattern={}", inst_.imm));
      case TextFormat::kMaskPart: return Attribute(NameIn(MaskPartNames(), inst_.imm));
      case TextFormat::kAccess: return Access();
      case TextFormat::kScalarLoad: Attribute(fmt::format("dwords={}", inst_.aux)); return Offset();
      case TextFormat::kProceed:
      case TextFormat::kCount:
        Attribute(fmt::format("count={}", inst_.imm));
        return inst_.aux != 0 ? Attribute(kTestedText) : void();
      case TextFormat::kNumber: return Attribute(fmt::format("number={}", inst_.imm));
      case TextFormat::kTable: return Attribute(fmt::format("table={:#x}", inst_.imm));
      case TextFormat::kPart: return Attribute(fmt::format("dword={}", inst_.imm));
      case TextFormat::kMatrix: return Matrix();
      default: return;
    }
  }

  const Function& function_;
  const Block& block_;
  const Value value_;
  const Inst& inst_;
  std::string& out_;
  bool first_operand_ = true;
  bool first_attribute_ = true;
};

}  // namespace

std::string GuestLine(const Block& block, size_t guest, const GuestComment& comment) {
  if (guest >= block.guest_pcs.size()) return fmt::format("guest {}", guest);
  const uint64_t pc = block.guest_pcs[guest];
  std::string text = comment ? comment(WithoutWave(pc)) : std::string();
  if (const int wave = WaveOf(pc); wave >= 0 && comment) {
    text = fmt::format("wave {}: {}", wave, text);
  }
  return fmt::format("guest {} {:#x}{}{}", guest, pc, text.empty() ? "" : "  ; ", text);
}

std::string PrintInst(const Function& function, const Block& block, Value value) {
  std::string out;
  InstPrinter(function, block, value, out).Print();
  return out;
}

std::string PrintBlock(const Function& function, const Block& block, const GuestComment& comment) {
  std::string out =
      fmt::format("block {:#x} instructions={}\n", block.begin, block.instruction_count);
  size_t next_guest = 0;  // the first whose line has not been printed
  size_t guest = 0;       // the one that the last line named
  const auto print_up_to = [&](size_t end) {
    for (; next_guest < end && next_guest < block.guest_pcs.size(); ++next_guest) {
      out += GuestLine(block, next_guest, comment) + '\n';
      guest = next_guest;
    }
  };
  for (const Value value : block.insts) {
    const Inst& inst = function[value];
    if (inst.op == Op::kConst) continue;
    print_up_to(size_t{inst.guest} + 1);
    if (guest != inst.guest) {
      out += GuestLine(block, inst.guest, comment) + '\n';
      guest = inst.guest;
    }
    out += "  ";
    InstPrinter(function, block, value, out).Print();
    out += '\n';
  }
  print_up_to(block.guest_pcs.size());
  return out;
}

std::string Print(const Function& function, const GuestComment& comment) {
  std::string out;
  for (size_t n = 0; n < function.patterns.size(); ++n) {
    out += fmt::format("pattern {} =", n);
    for (const uint8_t lane : function.patterns[n]) {
      out += lane == kNoLane ? std::string(" -") : fmt::format(" {}", lane);
    }
    out += '\n';
  }
  for (const Block& block : function.blocks) out += PrintBlock(function, block, comment);
  return out;
}

}  // namespace gcnjit::ir
