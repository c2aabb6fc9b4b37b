# Runs a HIP program with `gcnjit exec --check`: its JSON report has exactly these findings, and it
# ends in this way.
#
#   cmake -DGCNJIT=... -DDEVICE=... -DCOMMAND=PROGRAM[;ARGUMENT...] -DFINDINGS=KIND:KERNEL:COUNT[;...]
#         -DRESULT=EXIT_CODE -P checked_run.cmake
execute_process(COMMAND ${GCNJIT} exec --device ${DEVICE} --check --json -- ${COMMAND}
  OUTPUT_VARIABLE output ERROR_VARIABLE errors RESULT_VARIABLE result)
if(NOT result STREQUAL RESULT)
  message(FATAL_ERROR "${COMMAND} ended with ${result}:\n${output}${errors}")
endif()
string(REGEX MATCH "{\"check\"[^\n]*" report "${errors}")
set(found)
string(JSON count LENGTH "${report}" check findings)
if(count GREATER 0)
  math(EXPR last "${count} - 1")
  foreach(n RANGE ${last})
    set(parts)
    foreach(name kind kernel count)
      string(JSON part GET "${report}" check findings ${n} ${name})
      list(APPEND parts ${part})
    endforeach()
    list(JOIN parts ":" parts)
    list(APPEND found ${parts})
  endforeach()
endif()
if(NOT "${found}" STREQUAL "${FINDINGS}")
  message(FATAL_ERROR "findings: ${found}\nexpected: ${FINDINGS}\n${errors}")
endif()
