# Compiles the copies that plant.py writes instead of the sources that they are copies of.
find_package(Python3 REQUIRED COMPONENTS Interpreter)
set(PLANTED_DIR ${CMAKE_BINARY_DIR}/planted)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS
  ${CMAKE_CURRENT_LIST_DIR}/mutants.txt ${CMAKE_CURRENT_LIST_DIR}/plant.py)
execute_process(
  COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/plant.py ${CMAKE_SOURCE_DIR} ${PLANTED_DIR}
  OUTPUT_VARIABLE PLANTED_FILES OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
string(REPLACE "\n" ";" PLANTED_FILES "${PLANTED_FILES}")

foreach(target gcnjit_ir gcnjit_frontend gcnjit_backend gcnjit)
  get_target_property(sources ${target} SOURCES)
  foreach(file ${PLANTED_FILES})
    set(original ${CMAKE_SOURCE_DIR}/src/${file})
    if(NOT original IN_LIST sources)
      continue()
    endif()
    list(REMOVE_ITEM sources ${original})
    list(APPEND sources ${PLANTED_DIR}/${file})
    set_source_files_properties(${PLANTED_DIR}/${file} TARGET_DIRECTORY ${target}
      PROPERTIES COMPILE_OPTIONS "-w;-I${PLANTED_DIR}")
  endforeach()
  set_target_properties(${target} PROPERTIES SOURCES "${sources}")
endforeach()
