#include "isa/image_operands.h"

#include <algorithm>
#include <bit>

namespace gcnjit::frontend {
namespace {

// A part of the mnemonic between underscores, after "image_".
void AddPart(std::string_view part, ImageForm& form) {
  if (part == "store") form.kind = ImageKind::kStore;
  if (part == "sample") form.kind = ImageKind::kSample;
  if (part == "gather4") form.kind = ImageKind::kGather;
  if (part == "atomic") form.kind = ImageKind::kAtomic;
  if (part == "resinfo") form.kind = ImageKind::kResourceInfo;
  if (part == "lod") form.kind = ImageKind::kLodQuery;
  if (part == "pck") form.is_packed = true;
  if (part == "mip") form.has_level = true;
  if (part == "o") form.has_offset = true;
  if (part == "b") form.has_bias = true;
  if (part == "c") form.compares = true;
  if (part == "d" || part == "cd") form.has_derivatives = true;
  if (part == "cl") form.has_clamp = true;
  if (part == "l") form.lod = ImageLod::kGiven;
  if (part == "lz") form.lod = ImageLod::kZero;
  if (part == "cmpswap" || part == "fcmpswap") form.has_pair = true;
}

}  // namespace

ImageForm ImageFormOf(const OpcodeRow& row) {
  ImageForm form;
  std::string_view rest = row.names;
  while (!rest.empty()) {
    const size_t end = std::min(rest.find('_'), rest.size());
    AddPart(rest.substr(0, end), form);
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return form;
}

int ImageDerivativeRegisters(const ImageForm& form, int axes, bool halves) {
  if (!form.has_derivatives) return 0;
  return 2 * (halves ? (axes + 1) / 2 : axes);
}

int ImageAddressRegisters(const ImageForm& form, int coordinates, int axes, bool halves) {
  if (form.kind == ImageKind::kResourceInfo) return 1;  // the level
  const bool has_last = form.has_level || form.has_clamp || form.lod == ImageLod::kGiven;
  const int last = coordinates + int{has_last};
  return int{form.has_offset} + int{form.has_bias} + int{form.compares} +
         ImageDerivativeRegisters(form, axes, halves) + (halves ? (last + 1) / 2 : last);
}

int LeastImageAddressRegisters(const ImageForm& form) {
  const bool has_last = form.has_level || form.has_clamp || form.lod == ImageLod::kGiven;
  const int halves = 1 + int{has_last} + (form.has_derivatives ? 2 : 0);
  return (halves + 1) / 2 + int{form.has_offset} + int{form.has_bias} + int{form.compares};
}

int ImageDataRegisters(const ImageForm& form, const Instruction& in, Generation generation) {
  const int values = form.kind == ImageKind::kGather
                         ? 4
                         : std::max(1, std::popcount(static_cast<uint32_t>(in.imm)));
  return in.d16 && !Has(generation, kUnpackedD16) ? (values + 1) / 2 : values;
}

}  // namespace gcnjit::frontend
