#include "runtime/image_lanes/image_lanes.h"

#include <algorithm>
#include <bit>
#include <span>

#include "runtime/image_lanes/image_samples.h"
#include "runtime/image_lanes/lane_registers.h"
#include "runtime/interpreter/memory_order.h"

namespace gcnjit::runtime {
namespace {

using frontend::ImageKind;

// Offsets of the lanes' texels; 0, which can be read, where there is none. Returns those that have
// one.
uint64_t LocateLanes(const Wave& w, const ImagePlan& plan, LaneDwords& offsets) {
  const ImageOperation& o = plan.operation;
  struct Part {
    const uint32_t* at;
    uint32_t size;
    uint32_t stride;
  };
  constexpr int kMostParts = frontend::kMostImageCoordinates + 1;
  Part parts[kMostParts];
  LaneDwords halves[kMostParts];
  int count = 0;
  const auto add = [&](int n, uint32_t size, uint32_t stride) {
    parts[count] = {AddressLanes(w, o, n, halves[count]), size, stride};
    ++count;
  };
  const int axes = o.resource.Axes();
  for (int n = 0; n < axes; ++n) {
    add(n, o.resource.SizeOf(n), plan.strides[n]);
  }
  if (o.has_layer) add(axes, o.resource.layers, plan.strides[2]);
  if (o.form.has_level) add(o.last, 1, 0);
  uint64_t outside = 0;
  ForEachEight([&](int l) {
    __m256i offset = _mm256_setzero_si256();
    __m256i is_outside = _mm256_setzero_si256();
    for (const Part& part : std::span(parts, count)) {
      const __m256i at = _mm256_load_si256(reinterpret_cast<const __m256i*>(part.at + l));
      const __m256i most = _mm256_max_epu32(at, EightDwords(part.size));
      is_outside = _mm256_or_si256(is_outside, _mm256_cmpeq_epi32(most, at));
      offset = _mm256_add_epi32(offset, _mm256_mullo_epi32(at, EightDwords(part.stride)));
    }
    PutEight(offsets, l, _mm256_andnot_si256(is_outside, offset));
    const auto bits = static_cast<uint32_t>(_mm256_movemask_ps(_mm256_castsi256_ps(is_outside)));
    outside |= uint64_t{bits} << l;
  });
  return w.exec() & ~outside;
}

void LoadImage(Wave& w, const Instruction& i, const ImagePlan& plan) {
  const ImageResource& r = plan.operation.resource;
  LaneDwords offsets;
  const uint64_t inside = LocateLanes(w, plan, offsets);
  LaneElements elements;
  LoadLanes(r.format, plan.begin, offsets, elements);
  TexelValue absent;
  AbsentTexel(r, absent);
  LaneResults results(w, i, r.format);
  ForEachComponent(static_cast<uint32_t>(i.imm), [&](int c) {
    LaneDwords values;
    SelectLanes(r, c, elements, values);
    for (uint64_t left = w.exec() & ~inside; left != 0; left &= left - 1) {
      values.at[std::countr_zero(left)] = absent[c];
    }
    results.Put(values);
  });
}

void StoreImage(Wave& w, const Instruction& i, const ImagePlan& plan) {
  const ElementFormat& format = plan.operation.resource.format;
  LaneDwords offsets;
  const uint64_t inside = LocateLanes(w, plan, offsets);
  LaneElements elements = {};
  for (int n = 0; n < format.components; ++n) {
    if (!plan.stored.is_given[n]) continue;
    LaneDwords room;
    PackLanes(format, n, StoredLanes(w, i, format, plan.stored.source[n], room), elements);
  }
  StoreLanes(format, plan.begin, offsets, inside, elements);
}

// May the guest access all texels, by what does not cease to be before `epoch` changes?
bool MayAccess(const GuestMemory& memory, const ImagePlan& plan) {
  const bool writes = plan.operation.form.kind == ImageKind::kStore;
  const bool is_guests = writes ? memory.Writable(plan.begin, 1) : memory.Readable(plan.begin, 1);
  if (!is_guests) return false;
  const GuestMemory::Span span = memory.AccessibleAround(plan.begin, writes);
  return span.begin <= plan.begin && plan.end <= span.end;
}

}  // namespace

ImageLanes::Known& ImageLanes::KnownAt(const Wave& w, const Instruction& i) {
  if (known_.empty()) known_.resize(kMostKnown);
  Known& known = known_[(w.state.pc >> 2) % kMostKnown];
  const uint32_t* const resource = &w.state.sgpr[i.src[2].index];
  const bool has_sampler = i.src[3].kind == OperandKind::kScalar;
  const uint32_t* const sampler = has_sampler ? &w.state.sgpr[i.src[3].index] : nullptr;
  if (known.pc == w.state.pc && std::equal(resource, resource + 8, known.resource) &&
      (!has_sampler || std::equal(sampler, sampler + 4, known.sampler))) {
    return known;
  }
  known = {};
  known.pc = w.state.pc;
  std::copy_n(resource, 8, known.resource);
  if (has_sampler) std::copy_n(sampler, 4, known.sampler);
  known.is_planned = MakeImagePlan(w, i, &known.plan);
  return known;
}

bool ImageLanes::Run(Wave& w, const CodeSlot& slot) {
  const Instruction& i = slot.instruction;
  if (slot.function == nullptr || !w.state.vgpr_counts().Hold(slot.vgpr_limit) ||
      (w.state.mode & kModeVskip) != 0) {
    return false;
  }
  Known& known = KnownAt(w, i);
  if (!known.is_planned) return false;
  const GuestMemory& memory = *w.dispatch.memory;
  if (const uint64_t epoch = memory.epoch(); known.epoch != epoch) {
    if (!MayAccess(memory, known.plan)) return false;
    known.epoch = epoch;
  }
  switch (known.plan.operation.form.kind) {
    case ImageKind::kLoad:
      FenceIfCoherent(i);
      LoadImage(w, i, known.plan);
      break;
    case ImageKind::kStore: StoreImage(w, i, known.plan); break;
    default:
      FenceIfCoherent(i);
      SampleImage(w, i, known.plan);
      break;
  }
  w.state.pc += i.size;
  w.state.is_new = false;
  w.state.waits_in = 0;
  return true;
}

}  // namespace gcnjit::runtime
