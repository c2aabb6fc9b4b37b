// MIMG; the texels are those of ImageOperation. An instruction that will be refused accesses none.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <string>

#include "runtime/check/access.h"
#include "runtime/interpreter/image_data.h"
#include "runtime/interpreter/image_operation.h"

namespace gcnjit::runtime::check {

namespace {

Access& AddTexels(const Instruction& i, const InstructionInfo& info, uint32_t bytes,
                  AccessList& list) {
  Access& access = list.Add();
  access.type = info.type;
  access.is_coherent = i.glc;
  access.bytes = bytes;
  return access;
}

// OpenCL C 6.15.15: repeated and mirrored images are defined for normalised coordinates only, and
// CLK_ADDRESS_NONE, which HSA's runtimes make the former, for none outside.
bool IsUndefinedOutside(const ImageSampler& sampler, int axis) {
  const AddressMode mode = sampler.address[axis];
  return sampler.unnormalized && (mode == AddressMode::kWrap || mode == AddressMode::kMirror);
}

void NoteOutsideOfSampler(const Wave& w, const ImageOperation& o, Access& access) {
  const ImageResource& r = o.resource;
  const auto coordinate = [&](int n, int lane) {
    return std::bit_cast<float>(o.Component(w, n, lane));
  };
  ForEachLane(access.mask, [&](int lane) {
    for (int n = 0; n < r.Axes(); ++n) {
      const float at = coordinate(n, lane);
      const bool is_inside = at >= 0 && at < static_cast<float>(r.SizeOf(n));
      if (is_inside || !IsUndefinedOutside(o.sampler, n)) continue;
      access.beyond |= uint64_t{1} << lane;
    }
    return true;
  });
  if (access.beyond == 0) return;
  std::string at, size;
  for (int n = 0; n < r.Axes(); ++n) {
    at += fmt::format("{}{}", n == 0 ? "" : ", ", coordinate(n, std::countr_zero(access.beyond)));
    size += fmt::format("{}{}", n == 0 ? "" : " x ", r.SizeOf(n));
  }
  access.outside = fmt::format(
      "coordinates ({}) of an image of {}: the sampler's address mode, which is none, or repeats "
      "the "
      "image, defines them only where they are normalised",
      at, size);
}

void AddSampledTexels(Wave& w, const Instruction& i, const InstructionInfo& info,
                      const ImageOperation& operation, AccessList& list) {
  w.UseFloatClass(FloatClass::kNearest);
  Footprint footprints[kLanes];
  int most = 0;
  ForEachLane(w.exec(), [&](int lane) {
    footprints[lane] = operation.FootprintOf(w, lane);
    most = std::max(most, footprints[lane].count);
    return true;
  });
  const ImageResource& resource = operation.resource;
  for (int n = 0; n < most; ++n) {
    Access& access = AddTexels(i, info, resource.format.bytes, list);
    ForEachLane(w.exec(), [&](int lane) {
      const SampledTexel& texel = footprints[lane].texels[n];
      if (n >= footprints[lane].count || texel.is_border) return true;
      access.mask |= uint64_t{1} << lane;
      access.at[lane] = resource.AddressOf(texel.x, texel.y, texel.slice, texel.level);
      return true;
    });
    if (n == 0) NoteOutsideOfSampler(w, operation, access);
  }
}

std::shared_ptr<const ConvertedStore> ConvertTexels(const Wave& w, const Instruction& i,
                                                    const ImageResource& resource) {
  const StoredComponents stored =
      FindStoredComponents(resource.format, resource.dst_sel, static_cast<uint32_t>(i.imm));
  return Convert(
      w, stored, [&](int n) { return BitsOfImageValue(w, i, i.src[1].index, n); },
      [&](int lane, uint32_t(&texel)[4]) {
        MakeTexel(w, i, resource.format, stored, lane, texel);
      });
}

// In the instruction's numbers, which may be negative.
std::string DescribeOutside(const Wave& w, const ImageOperation& o, int lane) {
  const ImageResource& r = o.resource;
  const auto component = [&](int n) { return static_cast<int32_t>(o.Component(w, n, lane)); };
  const int coordinates = r.Axes() + int{o.has_layer};
  std::string at, size;
  for (int n = 0; n < coordinates; ++n) {
    at += (n == 0 ? "" : ", ") + std::to_string(component(n));
    size += (n == 0 ? "" : " x ") + std::to_string(n < r.Axes() ? r.SizeOf(n) : r.layers);
  }
  if (o.last >= 0) {
    at += ", level " + std::to_string(component(o.last));
    size += r.levels == 1 ? ", one level" : ", " + std::to_string(r.levels) + " levels";
  }
  return "texel (" + at + ") of an image of " + size +
         "; the hardware drops this access, and loads 0";
}

}  // namespace

void FindImageAccesses(Wave& w, const Instruction& i, const InstructionInfo& info,
                       AccessList& list) {
  ImageOperation operation;
  if (!DecodeImageOperation(w, i, frontend::ImageFormOf(i.row()), &operation).empty()) return;
  if (i.src[0].index + operation.address_registers > static_cast<int>(w.state.vgpr_count)) return;
  if (operation.form.HasSampler()) return AddSampledTexels(w, i, info, operation, list);
  Access& access = AddTexels(i, info, operation.resource.format.bytes, list);
  if (info.type == AccessType::kWrite) access.converted = ConvertTexels(w, i, operation.resource);
  ForEachLane(w.exec(), [&](int lane) {
    const bool is_inside = operation.LocateTexel(w, lane, &access.at[lane]);
    (is_inside ? access.mask : access.dropped) |= uint64_t{1} << lane;
    return true;
  });
  // OpenCL C 6.15.15: what reads without a sampler and writes do there is not defined.
  access.beyond = access.dropped;
  if (access.dropped != 0) {
    access.outside = DescribeOutside(w, operation, std::countr_zero(access.dropped));
  }
}

}  // namespace gcnjit::runtime::check
