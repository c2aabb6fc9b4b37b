// IMAGE_LOAD, IMAGE_STORE and IMAGE_GET_RESINFO.
//
// Sources: CLRX GcnInstrsMimg.md, GcnMemHandling.md ("Image addressing"); LLVM SIISelLowering
// (lowerImage). Coordinates outside: D3D 11.3 functional specification 5.3.9 (typed access out of
// bounds: loads give 0, stores are dropped) and CDNA3 ISA 9.1.4 (DST_SEL's constants stay), since
// buffers and images take the same way. IMAGE_GET_RESINFO: Mesa ac_nir_to_llvm (nir_op_txs),
// ac_nir_lower_resinfo.c (the same from the descriptor's words; levels count from BASE_LEVEL).
#include "runtime/image/texel.h"
#include "runtime/interpreter/image_data.h"
#include "runtime/interpreter/image_operation.h"
#include "runtime/interpreter/lane_access.h"
#include "runtime/interpreter/memory_order.h"

namespace gcnjit::runtime {

using frontend::ImageForm;

namespace {

void ImageLoad(Wave& w, const Instruction& i, const ImageForm& form) {
  FenceIfCoherent(i);
  ImageOperation operation;
  if (!PrepareImageOperation(w, i, form, &operation)) return;
  const ImageResource& resource = operation.resource;
  ForEachLane(w.exec(), [&](int lane) {
    TexelValue value;
    uint64_t address = 0;
    if (operation.LocateTexel(w, lane, &address)) {
      uint32_t element[4] = {};
      if (!w.Load(address, element, resource.format.bytes, lane)) return false;
      LoadedTexel(resource, element, value);
    } else {
      AbsentTexel(resource, value);
    }
    PutImageComponents(w, i, resource.format, lane, value);
    PutImageStatus(w, i, lane);
    return true;
  });
}

void ImageStore(Wave& w, const Instruction& i, const ImageForm& form) {
  ImageOperation operation;
  if (!PrepareImageOperation(w, i, form, &operation)) return;
  const ElementFormat& format = operation.resource.format;
  const StoredComponents stored =
      FindStoredComponents(format, operation.resource.dst_sel, static_cast<uint32_t>(i.imm));
  ForEachLane(w.exec(), [&](int lane) {
    uint64_t address = 0;
    if (!operation.LocateTexel(w, lane, &address)) return true;
    uint32_t element[4] = {};
    MakeTexel(w, i, format, stored, lane, element);
    return w.Store(address, element, format.bytes, lane);
  });
}

}  // namespace

#define ACCESS(suffix, function)                                      \
  void exec_IMAGE_##suffix(Wave& w, const Instruction& i) {           \
    function(w, i, ImageFormFor<frontend::Opcode::IMAGE_##suffix>()); \
  }

ACCESS(LOAD, ImageLoad)
ACCESS(LOAD_MIP, ImageLoad)
ACCESS(STORE, ImageStore)
ACCESS(STORE_MIP, ImageStore)

#undef ACCESS

// Width, height, depth or layers, levels: as many sizes as the image has, all 0 of a level that it
// does not have.
void exec_IMAGE_GET_RESINFO(Wave& w, const Instruction& i) {
  const ImageForm& form = ImageFormFor<frontend::Opcode::IMAGE_GET_RESINFO>();
  ImageOperation operation;
  if (!PrepareImageOperation(w, i, form, &operation)) return;
  const ImageResource& resource = operation.resource;
  const int axes = resource.Axes();
  const int sizes = resource.Coordinates();
  if (resource.type == ImageType::kCube) {
    return w.RaiseUnsupported("what IMAGE_GET_RESINFO says of cubes is not documented");
  }
  if ((i.imm & 7) >> sizes != 0) {
    return w.RaiseUnsupported("DMASK asks for a size that the image does not have");
  }
  ForEachLane(w.exec(), [&](int lane) {
    const uint32_t wide = w.state.vgpr[i.src[0].index][lane];
    const uint32_t level = operation.has_halves ? wide & 0xFFFF : wide;
    const bool is_there = level < resource.levels;
    uint32_t value[4] = {0, 0, 0, resource.levels};
    for (int n = 0; n < sizes && is_there; ++n) {
      value[n] = n == axes ? resource.layers : resource.level[level].SizeOf(n);
    }
    PutImageComponents(w, i, resource.format, lane, value);
    PutImageStatus(w, i, lane);
    return true;
  });
}

}  // namespace gcnjit::runtime
