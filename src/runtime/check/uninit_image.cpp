#include "runtime/check/uninit_check.h"
#include "runtime/interpreter/image_data.h"

namespace gcnjit::runtime::check {
namespace {

constexpr uint32_t kLowHalf = 0xFFFF;

// The bits of an address register that count: of halves (A16) an odd number leaves one out, and
// compilers do not set it (LLVM SIISelLowering, packImage16bitOpsToDwords).
uint32_t AddressBits(const ImageOperation& o, int reg) {
  if (!o.has_halves || reg == o.offset) return ~0u;
  const int axes = o.resource.Axes();
  const int derivatives = frontend::ImageDerivativeRegisters(o.form, axes, /*halves=*/true);
  const int from_coordinates = reg - o.first_coordinate;
  if (from_coordinates >= 0) {
    const int components = axes + int{o.has_layer} + int{o.last >= 0};
    return from_coordinates * 2 + 1 < components ? ~0u : kLowHalf;
  }
  if (from_coordinates < -derivatives) return kLowHalf;  // a bias
  const int in_group = (from_coordinates + derivatives) % (derivatives / 2);
  return in_group * 2 + 1 < axes ? ~0u : kLowHalf;
}

}  // namespace

void UninitCheck::CheckImage(const Wave& w, const Instruction& i, ShadowRegisters& shadow,
                             const Site& site) {
  const frontend::ImageForm form = frontend::ImageFormOf(i.row());
  CheckScalarAddress(i.src[2], frontend::RegistersOf(i.src[2].type), shadow, site);
  if (form.HasSampler()) {
    CheckScalarAddress(i.src[3], frontend::RegistersOf(i.src[3].type), shadow, site);
  }
  ImageOperation operation;
  if (!DecodeImageOperation(w, i, form, &operation).empty()) return;
  for (int n = 0; n < operation.address_registers; ++n) {
    const int reg = i.src[0].index + n;
    CheckVectorAddress(w, reg, AddressBits(operation, reg), shadow, site);
  }
}

// A gather has a value of each texel of a lane's footprint, everything else all components that
// DMASK names of all of them. Constants of DST_SEL do not depend on texels.
void UninitCheck::LoadTexels(const Wave& w, const Instruction& i, const AccessList& accesses,
                             ShadowRegisters& shadow) {
  ImageOperation operation;
  if (!DecodeImageOperation(w, i, frontend::ImageFormOf(i.row()), &operation).empty()) return;
  const bool gathers = operation.form.kind == frontend::ImageKind::kGather;
  int texel = 0;
  for (const Access& access : accesses) {
    ForEachLane(access.mask, [&](int lane) {
      if (!unwritten_.Holds(access.at[lane], access.bytes)) return true;
      int value = gathers ? texel : 0;
      for (int component = 0; component < 4; ++component) {
        if ((i.imm >> component & 1) == 0) continue;
        const ValueBits at = BitsOfImageValue(w, i, i.dst.index, value++);
        if (operation.resource.dst_sel[component] < kSelectX) continue;
        shadow.SetVgpr(static_cast<size_t>(at.reg), lane, at.bits, at.bits);
      }
      return true;
    });
    ++texel;
  }
}

}  // namespace gcnjit::runtime::check
