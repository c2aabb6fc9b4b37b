// MUBUF format loads and stores, and MTBUF.
//
// Sources: CLRX GcnInstrsMubuf.md, GcnInstrsMtbuf.md, GcnMemHandling.md; CDNA3 ISA 9.1.3-9.1.6;
// LLVM AMDGPU operand syntax gfx8/gfx9 (D16: one value a register on gfx8.0, packed from gfx8.1
// on); Mesa ACO get_subdword_definition_info (D16 loads of gfx9 keep the halves they do not write,
// unless there is SRAM-ECC), visit_image_store, and LLVM AMDGPU.td, FeatureDefaultComponentZero
// (components that the instruction has no value for are stored as 0); ROCR-Runtime
// image_manager_kv.cpp (1DB) and Mesa radv_make_texel_buffer_descriptor (DST_SEL is the order of
// formats that are stored, too, so stores go through it the other way).
#include "runtime/interpreter/buffer_format.h"
#include "runtime/interpreter/lane_access.h"
#include "runtime/interpreter/memory_order.h"

namespace gcnjit::runtime {

using frontend::IsGfx9;

namespace {

// False after refusing.
bool MakePlan(Wave& w, const Instruction& i, const BufferResource& resource, int count,
              bool is_store, FormatPlan* plan) {
  const char* refusal = MakeFormatPlan(i, resource, count, is_store, plan);
  if (refusal != nullptr) w.RaiseUnsupported(refusal);
  return refusal == nullptr;
}

// gfx8's D16 registers are more than the row says, so the instruction loop did not check them.
bool CheckRegisters(Wave& w, const Instruction& i, const Operand& operand, int registers) {
  if (operand.kind != OperandKind::kVector) return true;
  const auto last = static_cast<uint32_t>(operand.index + registers + (i.tfe ? 1 : 0));
  if (last <= w.state.vgpr_count) return true;
  w.RaiseFault(FaultKind::kIllegalRegister, -1, 0, 0,
               "uses v" + std::to_string(last - 1) + " of " + std::to_string(w.state.vgpr_count));
  return false;
}

int RegistersOf(const Wave& w, Packing packing, int count) {
  return packing == Packing::kD16 && IsGfx9(w.generation()) ? (count + 1) / 2 : count;
}

void SetHalf(uint32_t& reg, bool high, uint16_t value) {
  reg = high ? (reg & 0xFFFF) | static_cast<uint32_t>(value) << 16 : (reg & 0xFFFF0000) | value;
}

// The formatted accesses of one instruction.
class FormatAccess {
 public:
  FormatAccess(Wave& w, const FormatPlan& plan, const BufferAccess& access)
      : w_(w), plan_(plan), access_(access) {
    w.UseFloatClass(FloatClass::kNearest);
    const uint32_t bytes = plan.format.bytes;
    by_bytes_ = access.swizzled() && (bytes > 4 || access.Apart(bytes) != 0);
    in_range_ = bytes == 0 ? 0 : access.Locate(0, bytes, /*whole=*/true, at_);
    unbound_ = bytes == 0 || access.resource().is_unbound;
  }
  uint64_t in_range() const { return in_range_; }

  // The lane's element, 0 out of range. False after a fault.
  bool Read(int lane, uint32_t (&element)[4]) const {
    if (((in_range_ >> lane) & 1) == 0) return true;
    if (by_bytes_) return access_.ReadBytes(lane, 0, element, plan_.format.bytes);
    return w_.Load(at_[lane], element, plan_.format.bytes, lane);
  }
  bool Write(int lane, const uint32_t (&element)[4]) const {
    if (by_bytes_) return access_.WriteBytes(lane, 0, element, plan_.format.bytes);
    return w_.Store(at_[lane], element, plan_.format.bytes, lane);
  }

  // Loaded component n. Out of range components are 0 but constants stay; an unbound resource gives
  // only zeros.
  uint32_t Component(int lane, int n, const uint32_t (&element)[4]) const {
    const uint8_t select = plan_.select[n];
    if (unbound_ || select == kSelectZero) return 0;
    if (select == kSelectOne) return OneOf(plan_.format);
    if (((in_range_ >> lane) & 1) == 0) return 0;
    return UnpackComponent(plan_.format, select - kSelectX, element);
  }
  uint16_t Component16(int lane, int n, const uint32_t (&element)[4]) const {
    const uint8_t select = plan_.select[n];
    if (unbound_ || select == kSelectZero) return 0;
    if (select == kSelectOne) return OneOf16(plan_.format);
    if (((in_range_ >> lane) & 1) == 0) return 0;
    return UnpackComponent16(plan_.format, select - kSelectX, element);
  }

 private:
  Wave& w_;
  const FormatPlan& plan_;
  const BufferAccess& access_;
  bool by_bytes_;
  bool unbound_;
  uint64_t in_range_;
  LaneAddresses at_;
};

void FormatLoadToLds(Wave& w, const Instruction& i, const FormatAccess& access) {
  const uint64_t start = uint64_t{w.state.m0() & 0xFFFF} + static_cast<uint32_t>(i.offset);
  ForEachLane(w.exec(), [&](int lane) {
    const uint64_t lds_address = start + static_cast<uint64_t>(lane) * 4;
    if (lds_address + 4 > w.group.lds_bytes) return true;
    uint32_t element[4] = {};
    if (!access.Read(lane, element)) return false;
    const uint32_t value = access.Component(lane, 0, element);
    std::memcpy(w.group.lds + lds_address, &value, 4);
    return true;
  });
}

void FormatLoad(Wave& w, const Instruction& i, int count, Packing packing) {
  FenceIfCoherent(i);
  const BufferAccess access(w, i, /*format_access=*/true);
  FormatPlan plan;
  if (!MakePlan(w, i, access.resource(), count, /*is_store=*/false, &plan)) return;
  const int registers = RegistersOf(w, packing, count);
  if (!CheckRegisters(w, i, i.dst, registers)) return;
  const FormatAccess formatted(w, plan, access);
  if (i.lds) return FormatLoadToLds(w, i, formatted);
  const int dst = i.dst.index;
  const bool packs = IsGfx9(w.generation());
  ForEachLane(w.exec(), [&](int lane) {
    uint32_t element[4] = {};
    if (!formatted.Read(lane, element)) return false;
    for (int n = 0; n < registers && i.zeroes_half; ++n) w.state.vgpr[dst + n][lane] = 0;
    for (int n = 0; n < count; ++n) {
      if (packing == Packing::kDwords) {
        w.state.vgpr[dst + n][lane] = formatted.Component(lane, n, element);
      } else if (!packs) {
        w.state.vgpr[dst + n][lane] = formatted.Component16(lane, n, element);
      } else {
        const bool high = packing == Packing::kD16Hi || n % 2 == 1;
        SetHalf(w.state.vgpr[dst + n / 2][lane], high, formatted.Component16(lane, n, element));
      }
    }
    return true;
  });
  PutTfeStatus(w, i, registers);
}

void FormatStore(Wave& w, const Instruction& i, int count, Packing packing) {
  const BufferAccess access(w, i, /*format_access=*/true);
  FormatPlan plan;
  if (!MakePlan(w, i, access.resource(), count, /*is_store=*/true, &plan)) return;
  const int registers = RegistersOf(w, packing, count);
  if (!CheckRegisters(w, i, i.src[1], registers)) return;
  const FormatAccess formatted(w, plan, access);
  ForEachLane(formatted.in_range(), [&](int lane) {
    uint32_t element[4] = {};
    MakeElement(w, i, plan, packing, lane, element);
    return formatted.Write(lane, element);
  });
}

}  // namespace

// clang-format off
#define FORMAT(suffix, count, packing)                                                                                          \
  void exec_BUFFER_LOAD_FORMAT_##suffix(Wave& w, const Instruction& i) { FormatLoad(w, i, count, Packing::packing); }    \
  void exec_BUFFER_STORE_FORMAT_##suffix(Wave& w, const Instruction& i) { FormatStore(w, i, count, Packing::packing); }
#define TYPED_FORMAT(suffix, count, packing)                                                                                    \
  FORMAT(suffix, count, packing)                                                                                                \
  void exec_TBUFFER_LOAD_FORMAT_##suffix(Wave& w, const Instruction& i) { FormatLoad(w, i, count, Packing::packing); }   \
  void exec_TBUFFER_STORE_FORMAT_##suffix(Wave& w, const Instruction& i) { FormatStore(w, i, count, Packing::packing); }

TYPED_FORMAT(X,        1, kDwords)
TYPED_FORMAT(XY,       2, kDwords)
TYPED_FORMAT(XYZ,      3, kDwords)
TYPED_FORMAT(XYZW,     4, kDwords)
TYPED_FORMAT(D16_X,    1, kD16)
TYPED_FORMAT(D16_XY,   2, kD16)
TYPED_FORMAT(D16_XYZ,  3, kD16)
TYPED_FORMAT(D16_XYZW, 4, kD16)
FORMAT(D16_HI_X,       1, kD16Hi)

#undef FORMAT
#undef TYPED_FORMAT
// clang-format on

}  // namespace gcnjit::runtime
