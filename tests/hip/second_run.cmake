# Runs a HIP program twice with a folder of its own for compiled code: the second run prints the same
# and compiles nothing.
#
#   cmake -DGCNJIT=... -DPROGRAM=... -DFOLDER=... -DISA=... -P second_run.cmake
file(STRINGS /proc/cpuinfo flags REGEX "flags.* avx512vl" LIMIT_COUNT 1)
if("${ISA}" STREQUAL "avx512" AND "${flags}" STREQUAL "")
  message("this processor has no ${ISA}")
  return()
endif()
file(REMOVE_RECURSE ${FOLDER})
set(ENV{GCNJIT_CACHE} 1)
set(ENV{GCNJIT_CACHE_DIR} ${FOLDER})
set(ENV{GCNJIT_FORCE_ISA} ${ISA})
set(ENV{GCNJIT_STATS} json)
foreach(run 1 2)
  execute_process(COMMAND ${GCNJIT} exec -- ${PROGRAM}
    OUTPUT_VARIABLE output_${run} ERROR_VARIABLE report RESULT_VARIABLE result)
  if(NOT result EQUAL 0)
    message(FATAL_ERROR "run ${run} of ${PROGRAM} ended with ${result}:\n${output_${run}}${report}")
  endif()
  string(REGEX MATCH "{\"copies\".*" report "${report}")
  foreach(count compiled_regions cached_regions)
    string(JSON ${count}_${run} GET "${report}" jit ${count})
  endforeach()
endforeach()
file(REMOVE_RECURSE ${FOLDER})
if(NOT output_1 STREQUAL output_2)
  message(FATAL_ERROR "the runs print different things:\n${output_1}\n${output_2}")
endif()
if(compiled_regions_1 EQUAL 0 OR NOT cached_regions_1 EQUAL 0)
  message(FATAL_ERROR "the first run compiled ${compiled_regions_1} regions, "
    "${cached_regions_1} were there already")
endif()
if(NOT compiled_regions_2 EQUAL 0 OR cached_regions_2 EQUAL 0)
  message(FATAL_ERROR "the second run compiled ${compiled_regions_2} regions, "
    "${cached_regions_2} were there")
endif()
