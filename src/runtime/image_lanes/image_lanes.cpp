#include "runtime/image_lanes/image_lanes.h"

#include <algorithm>
#include <bit>
#include <span>

#include "runtime/image_lanes/lane_sampling.h"
#include "runtime/interpreter/memory_order.h"

namespace gcnjit::runtime {
namespace {

using frontend::ImageKind;

// A register of the instruction's data, in the lanes of EXEC.
void PutLanes(Wave& w, int vgpr, const LaneDwords& values) {
  uint32_t(&to)[kImageLanes] = w.state.vgpr[vgpr];
  const uint64_t exec = w.exec();
  if (exec == ~uint64_t{0}) {
    std::copy_n(values.at, kImageLanes, to);
    return;
  }
  for (uint64_t left = exec; left != 0; left &= left - 1) {
    const int lane = std::countr_zero(left);
    to[lane] = values.at[lane];
  }
}

template <typename F>
void ForEachComponent(uint32_t dmask, F f) {
  for (; dmask != 0; dmask &= dmask - 1) f(std::countr_zero(dmask));
}

// What DST_SEL makes component `c` of.
void SelectLanes(const ImageResource& r, int c, const LaneElements& elements, LaneDwords& values) {
  const uint8_t select = r.dst_sel[c];
  if (select > kSelectOne) return UnpackLanes(r.format, select - kSelectX, elements, values);
  std::fill_n(values.at, kImageLanes, select == kSelectOne ? OneOf(r.format) : 0);
}

// ---- Loads and stores

// Offsets of the lanes' texels; 0, which can be read, where there is none. Returns those that have
// one.
uint64_t LocateLanes(const Wave& w, const ImagePlan& plan, LaneDwords& offsets) {
  const ImageOperation& o = plan.operation;
  struct Part {
    const uint32_t* at;
    uint32_t size;
    uint32_t stride;
  };
  Part parts[frontend::kMostImageCoordinates + 2];
  int count = 0;
  const auto add = [&](int vgpr, uint32_t size, uint32_t stride) {
    parts[count++] = {w.state.vgpr[vgpr], size, stride};
  };
  const int axes = o.resource.Axes();
  for (int n = 0; n < axes; ++n) {
    add(o.first_coordinate + n, o.resource.SizeOf(n), plan.strides[n]);
  }
  if (o.has_layer) add(o.first_coordinate + axes, o.resource.layers, plan.strides[2]);
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
  int vgpr = i.dst.index;
  ForEachComponent(static_cast<uint32_t>(i.imm), [&](int c) {
    LaneDwords values;
    SelectLanes(r, c, elements, values);
    for (uint64_t left = w.exec() & ~inside; left != 0; left &= left - 1) {
      values.at[std::countr_zero(left)] = absent[c];
    }
    PutLanes(w, vgpr++, values);
  });
}

void StoreImage(Wave& w, const Instruction& i, const ImagePlan& plan) {
  const ElementFormat& format = plan.operation.resource.format;
  LaneDwords offsets;
  const uint64_t inside = LocateLanes(w, plan, offsets);
  LaneElements elements = {};
  for (int n = 0; n < format.components; ++n) {
    if (!plan.stored.is_given[n]) continue;
    PackLanes(format, n, w.state.vgpr[i.src[1].index + plan.stored.source[n]], elements);
  }
  StoreLanes(format, plan.begin, offsets, inside, elements);
}

// ---- Samples

struct SampleLanes {
  AxisLanes axes[3];
  LaneDwords layers;
  bool has_layers = false;
  uint32_t blending = 0;  // a bit an axis along which some lane blends
};

// Of the texels that `which` names, which has a bit an axis: its second neighbour.
struct Corner {
  LaneDwords offsets;
  LaneDwords is_border;
  LaneDwords counts;  // all ones: the weight is not 0
  LaneSums weights;   // in 1/256 an axis that blends
};

void FindCorner(const SampleLanes& lanes, int axes, uint32_t which, Corner& corner) {
  ForEachEight([&](int l) {
    __m256i offset = lanes.has_layers ? EightOf(lanes.layers, l) : _mm256_setzero_si256();
    __m256i is_border = _mm256_setzero_si256();
    __m256i weight = EightDwords(1);
    for (int axis = 0; axis < axes; ++axis) {
      const AxisLanes& of = lanes.axes[axis];
      const uint32_t n = which >> axis & 1;
      offset = _mm256_add_epi32(offset, EightOf(of.offsets[n], l));
      is_border = _mm256_or_si256(is_border, EightOf(of.is_border[n], l));
      if ((lanes.blending >> axis & 1) == 0) continue;
      const __m256i second = EightOf(of.second, l);
      const __m256i own = n == 0 ? _mm256_sub_epi32(EightDwords(256), second) : second;
      weight = _mm256_mullo_epi32(weight, own);
    }
    PutEight(corner.offsets, l, offset);
    PutEight(corner.is_border, l, is_border);
    if (lanes.blending == 0) return;
    PutEight(corner.counts, l, _mm256_cmpgt_epi32(weight, _mm256_setzero_si256()));
    _mm256_store_pd(corner.weights.at + l, _mm256_cvtepi32_pd(_mm256_castsi256_si128(weight)));
    _mm256_store_pd(corner.weights.at + l + 4,
                    _mm256_cvtepi32_pd(_mm256_extracti128_si256(weight, 1)));
  });
}

void SelectBorder(const LaneDwords& is_border, uint32_t border, LaneDwords& values) {
  ForEachEight([&](int l) {
    PutEight(values, l,
             _mm256_blendv_epi8(EightOf(values, l), EightDwords(border), EightOf(is_border, l)));
  });
}

// The sums begin as +0. Products are exact, so that it does not matter that they are not rounded.
void AddToBlend(const LaneDwords& values, const Corner& corner, bool is_first, LaneSums& sums) {
  ForEachEight([&](int l) {
    // An infinity that does not count is none.
    const __m256 value =
        _mm256_castsi256_ps(_mm256_and_si256(EightOf(values, l), EightOf(corner.counts, l)));
    const auto add = [&](int from, __m128 four) {
      double* const sum = sums.at + from;
      const __m256d before = is_first ? _mm256_setzero_pd() : _mm256_load_pd(sum);
      const __m256d weight = _mm256_load_pd(corner.weights.at + from);
      _mm256_store_pd(sum, _mm256_fmadd_pd(_mm256_cvtps_pd(four), weight, before));
    };
    add(l, _mm256_castps256_ps128(value));
    add(l + 4, _mm256_extractf128_ps(value, 1));
  });
}

// Lanes with one texel have its value as it is.
void FinishBlend(const LaneDwords& is_blended, double scale, const LaneSums& sums,
                 LaneDwords& values) {
  const __m256d scale4 = _mm256_set1_pd(scale);
  ForEachEight([&](int l) {
    const __m128 low = _mm256_cvtpd_ps(_mm256_mul_pd(_mm256_load_pd(sums.at + l), scale4));
    const __m128 high = _mm256_cvtpd_ps(_mm256_mul_pd(_mm256_load_pd(sums.at + l + 4), scale4));
    const __m256 blended = _mm256_set_m128(high, low);
    const __m256 is_nan = _mm256_cmp_ps(blended, blended, _CMP_UNORD_Q);
    const __m256i bits = _mm256_blendv_epi8(_mm256_castps_si256(blended), EightDwords(kBlendedNan),
                                            _mm256_castps_si256(is_nan));
    const __m256i is_single = _mm256_cmpeq_epi32(EightOf(is_blended, l), _mm256_setzero_si256());
    PutEight(values, l, _mm256_blendv_epi8(bits, EightOf(values, l), is_single));
  });
}

void FindSampleLanes(const Wave& w, const ImagePlan& plan, SampleLanes& lanes) {
  const ImageOperation& o = plan.operation;
  const int axes = o.resource.Axes();
  for (int axis = 0; axis < axes; ++axis) {
    FindAxisLanes(plan, axis, w.state.vgpr[o.first_coordinate + axis], w.exec(), lanes.axes[axis]);
    if (lanes.axes[axis].blends) lanes.blending |= 1u << axis;
  }
  lanes.has_layers = o.resource.IsLayered();
  if (lanes.has_layers) {
    FindLayerLanes(plan, w.state.vgpr[o.first_coordinate + axes], lanes.layers);
  }
}

void SampleImage(Wave& w, const Instruction& i, const ImagePlan& plan) {
  const ImageResource& r = plan.operation.resource;
  const int axes = r.Axes();
  const auto dmask = static_cast<uint32_t>(i.imm);
  SampleLanes lanes;
  FindSampleLanes(w, plan, lanes);
  TexelValue border;
  BorderTexel(r, plan.operation.sampler, border);

  LaneDwords first[4];  // values of the texels that count anywhere
  LaneSums sums[4];
  Corner corner;
  LaneElements elements;
  for (uint32_t which = 0; which <= lanes.blending; ++which) {
    if ((which & ~lanes.blending) != 0) continue;
    FindCorner(lanes, axes, which, corner);
    LoadLanes(r.format, plan.begin, corner.offsets, elements);
    ForEachComponent(dmask, [&](int c) {
      LaneDwords other;
      LaneDwords& values = which == 0 ? first[c] : other;
      SelectLanes(r, c, elements, values);
      if (plan.has_border) SelectBorder(corner.is_border, border[c], values);
      if (lanes.blending != 0) AddToBlend(values, corner, which == 0, sums[c]);
    });
  }

  if (lanes.blending != 0) {
    LaneDwords is_blended = {};
    double scale = 1;
    for (int axis = 0; axis < axes; ++axis) {
      if ((lanes.blending >> axis & 1) == 0) continue;
      scale /= 256;
      for (int lane = 0; lane < kImageLanes; ++lane) {
        is_blended.at[lane] |= lanes.axes[axis].second.at[lane];
      }
    }
    ForEachComponent(dmask, [&](int c) { FinishBlend(is_blended, scale, sums[c], first[c]); });
  }
  int vgpr = i.dst.index;
  ForEachComponent(dmask, [&](int c) { PutLanes(w, vgpr++, first[c]); });
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
