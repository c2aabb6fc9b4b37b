# Headers that most files of the project parse, parsed once a target: without, they are three quarters
# of the time that a file takes. Files still include what they use; -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON
# shows one that does not.
set(GCNJIT_STANDARD_HEADERS <algorithm> <array> <atomic> <bit> <bitset> <cstddef> <cstdint> <cstring> <functional>
  <map> <memory> <mutex> <optional> <set> <span> <string> <string_view> <unordered_map> <utility> <variant> <vector>)

# gcnjit_precompile(TARGET [HEADER...]): the standard headers, {fmt}, and those named.
# gcnjit_precompile(TARGET FEW [HEADER...]): the same; compiled as one, its few files need none.
# gcnjit_precompile(TARGET LIKE OTHER): what is precompiled for a target with the same options.
function(gcnjit_precompile target)
  if("${ARGV1}" STREQUAL LIKE)
    target_precompile_headers(${target} REUSE_FROM ${ARGV2})
  elseif("${ARGV1}" STREQUAL FEW AND GCNJIT_UNITY)
    return()
  else()
    list(REMOVE_ITEM ARGN FEW)
    target_precompile_headers(${target} PRIVATE ${GCNJIT_STANDARD_HEADERS} <fmt/format.h> ${ARGN})
  endif()
  # ccache cannot tell what a precompiled header was made of otherwise.
  target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-fpch-preprocess>)
endfunction()
