# Headers that most files of the project parse, parsed once a target: without, they are three quarters
# of the time that a file takes. Files still include what they use; -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON
# shows one that does not.
set(GCNJIT_STANDARD_HEADERS <algorithm> <array> <atomic> <bit> <bitset> <cstddef> <cstdint> <cstring> <functional>
  <map> <memory> <mutex> <optional> <set> <span> <string> <string_view> <unordered_map> <utility> <variant> <vector>)

# gcnjit_precompile(TARGET [HEADER...]): the standard headers, {fmt}, and those named.
function(gcnjit_precompile target)
  target_precompile_headers(${target} PRIVATE ${GCNJIT_STANDARD_HEADERS} <fmt/format.h> ${ARGN})
  # ccache cannot tell what a precompiled header was made of otherwise.
  target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-fpch-preprocess>)
endfunction()
