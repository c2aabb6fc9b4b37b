#include "runtime/image_lanes/image_plan.h"

#include <algorithm>

#include "runtime/image_lanes/lane_format.h"

namespace gcnjit::runtime {
namespace {

using frontend::ImageForm;
using frontend::ImageKind;

// Byte offsets from the first texel have 31 bits.
constexpr uint64_t kMostImageBytes = uint64_t{1} << 31;

bool HasLaneForm(const Instruction& i, const ImageForm& form) {
  const bool is_known = form.kind == ImageKind::kLoad || form.kind == ImageKind::kStore ||
                        form.kind == ImageKind::kSample;
  return is_known && !form.is_packed && !form.has_offset && !i.tfe && !i.lwe;
}

// Periods are whole ones only of normalised coordinates.
bool HasLaneAddresses(const ImageOperation& o) {
  for (int axis = 0; axis < o.resource.Axes(); ++axis) {
    const bool repeats = o.sampler.address[axis] == AddressMode::kWrap ||
                         o.sampler.address[axis] == AddressMode::kMirror;
    if (repeats && o.sampler.unnormalized) return false;
  }
  return true;
}

void FindStrides(ImagePlan* plan) {
  const ImageResource& r = plan->operation.resource;
  const ImageLevel& level = r.level[0];
  plan->strides[0] = r.format.bytes;
  plan->strides[1] = level.pitch * r.format.bytes;
  plan->strides[2] = static_cast<uint32_t>(level.slice_bytes);
  plan->begin = r.AddressOf(0, 0, 0);
  const uint32_t last_slice = std::max(level.depth, r.layers) - 1;
  plan->end = r.AddressOf(level.width - 1, level.height - 1, last_slice) + r.format.bytes;
}

}  // namespace

bool MakeImagePlan(const Wave& w, const Instruction& i, ImagePlan* plan) {
  const ImageForm form = frontend::ImageFormOf(i.row());
  if (!HasLaneForm(i, form)) return false;
  ImageOperation& o = plan->operation;
  if (!DecodeImageOperation(w, i, form, &o).empty()) return false;
  if (static_cast<uint32_t>(i.src[0].index + o.address_registers) > w.state.vgpr_count)
    return false;
  if (!HasLaneFormat(o.resource.format)) return false;
  const bool takes_levels =
      form.has_level || (form.HasSampler() && ChoosesLevel(o.resource, o.sampler));
  if (o.resource.levels > 1 && takes_levels) return false;
  if (form.HasSampler()) {
    if (o.resource.type == ImageType::kCube) return false;
    if (o.sampler.FilterDependsOnLod() || !HasLaneAddresses(o)) return false;
    plan->is_linear = o.sampler.magnifies_linearly;
    plan->has_border = std::any_of(o.sampler.address, o.sampler.address + o.resource.Axes(),
                                   [](AddressMode m) { return m >= AddressMode::kClampBorder; });
  }
  const auto dmask = static_cast<uint32_t>(i.imm);
  if (form.kind == ImageKind::kStore)
    plan->stored = FindStoredComponents(o.resource.format, o.resource.dst_sel, dmask);
  FindStrides(plan);
  return plan->end - plan->begin < kMostImageBytes;
}

}  // namespace gcnjit::runtime
