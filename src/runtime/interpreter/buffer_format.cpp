#include "runtime/interpreter/buffer_format.h"

namespace gcnjit::runtime {

const char* MakeFormatPlan(const Instruction& i, const BufferResource& resource, int count,
                           bool is_store, FormatPlan* plan) {
  const bool typed = i.encoding == frontend::Encoding::kMtbuf;
  const char* refusal =
      DecodeBufferFormat(typed ? i.dfmt : resource.data_format,
                         typed ? i.nfmt : resource.num_format, is_store, &plan->format);
  const int components = plan->format.components;
  for (int n = 0; n < 4 && refusal == nullptr; ++n) {
    const auto identity = static_cast<uint8_t>(n < components ? kSelectX + n : kSelectZero);
    plan->select[n] = typed ? identity : resource.dst_sel[n];
    if (components == 0 || is_store) continue;
    if (n < count && plan->select[n] > kSelectOne &&
        (plan->select[n] < kSelectX || plan->select[n] - kSelectX >= components)) {
      refusal = "DST_SEL names a component that the format does not have";
    }
  }
  plan->stored = FindStoredComponents(plan->format, plan->select, (1u << count) - 1);
  return refusal;
}

}  // namespace gcnjit::runtime
