#include <fmt/format.h>

#include "runtime/check/uninit_check.h"
#include "runtime/image/texel.h"
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

struct StoredBits {
  int reg;
  uint32_t bits;
};
StoredBits StoredValue(const Instruction& i, bool packs, int n) {
  if (!i.d16) return {i.src[1].index + n, ~0u};
  if (!packs) return {i.src[1].index + n, kLowHalf};
  return {i.src[1].index + n / 2, n % 2 == 1 ? ~kLowHalf : kLowHalf};
}

}  // namespace

void UninitCheck::CheckImage(const Wave& w, const Instruction& i, const AccessList& accesses,
                             ShadowRegisters& shadow, const Site& site) {
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
  if (form.kind != frontend::ImageKind::kStore) return;
  for (const Access& access : accesses) {
    CheckStoredTexels(w, i, operation, access, shadow, site);
  }
}

// Components that the format does not have are not stored.
void UninitCheck::CheckStoredTexels(const Wave& w, const Instruction& i,
                                    const ImageOperation& operation, const Access& access,
                                    const ShadowRegisters& shadow, const Site& site) {
  const StoredComponents stored = FindStoredComponents(
      operation.resource.format, operation.resource.dst_sel, static_cast<uint32_t>(i.imm));
  ForEachLane(access.mask, [&](int lane) {
    for (int n = 0; n < operation.resource.format.components; ++n) {
      const StoredBits value = StoredValue(i, PacksHalves(w, i), stored.source[n]);
      const auto reg = static_cast<size_t>(value.reg);
      if (!stored.is_given[n] || (shadow.Vgpr(reg)[lane] & value.bits) == 0) continue;
      Report(FindingKind::kUninitializedStore, site, lane,
             fmt::format("v{} depends on what was never set", reg));
      return true;
    }
    return true;
  });
}

}  // namespace gcnjit::runtime::check
