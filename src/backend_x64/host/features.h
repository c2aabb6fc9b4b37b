// Which host instructions compiled code may use.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace gcnjit::backend {

enum class HostIsa { kAvx2, kAvx512 };

std::string_view NameOf(HostIsa isa);

// Can this processor run code for `isa`? AVX-512 means F, BW, CD, DQ and VL.
bool HostHas(HostIsa isa);

// The best of this processor, or what GCNJIT_FORCE_ISA=avx2|avx512 asks for. If that is not a name,
// or not of this processor, `why_not` says so and there is no result.
std::optional<HostIsa> ChooseHostIsa(std::string* why_not);

}  // namespace gcnjit::backend
