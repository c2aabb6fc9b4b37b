#include "backend_x64/host/features.h"

#include <xbyak/xbyak_util.h>

#include <cstdlib>

namespace gcnjit::backend {
namespace {

const Xbyak::util::Cpu& Host() {
  static const Xbyak::util::Cpu cpu;
  return cpu;
}

}  // namespace

std::string_view NameOf(HostIsa isa) { return isa == HostIsa::kAvx2 ? "avx2" : "avx512"; }

bool HostHas(HostIsa isa) {
  using Cpu = Xbyak::util::Cpu;
  const Cpu& host = Host();
  const bool avx2 = host.has(Cpu::tAVX2) && host.has(Cpu::tFMA) && host.has(Cpu::tF16C) &&
                    host.has(Cpu::tBMI1) && host.has(Cpu::tBMI2) && host.has(Cpu::tLZCNT) &&
                    host.has(Cpu::tPOPCNT);
  if (isa == HostIsa::kAvx2) return avx2;
  return avx2 && host.has(Cpu::tAVX512F) && host.has(Cpu::tAVX512BW) && host.has(Cpu::tAVX512CD) &&
         host.has(Cpu::tAVX512DQ) && host.has(Cpu::tAVX512VL);
}

std::optional<HostIsa> ChooseHostIsa(std::string* why_not) {
  const char* forced = std::getenv("GCNJIT_FORCE_ISA");
  if (forced == nullptr || *forced == '\0') {
    if (HostHas(HostIsa::kAvx512)) return HostIsa::kAvx512;
    if (HostHas(HostIsa::kAvx2)) return HostIsa::kAvx2;
    *why_not = "the JIT needs a processor with AVX2, FMA and F16C; use --engine interp";
    return std::nullopt;
  }
  for (const HostIsa isa : {HostIsa::kAvx2, HostIsa::kAvx512}) {
    if (NameOf(isa) != forced) continue;
    if (HostHas(isa)) return isa;
    *why_not =
        std::string("GCNJIT_FORCE_ISA asks for ") + forced + ", which this processor does not have";
    return std::nullopt;
  }
  *why_not = std::string("GCNJIT_FORCE_ISA is '") + forced + "'; it may be avx2 or avx512";
  return std::nullopt;
}

}  // namespace gcnjit::backend
