# Gives flipsat_tools kSourceDigest (tools/source_digest.h), made anew when a source changes.
set(digested_folders egraph solvers hlo frontends language rules extract passes verify optimizer tools)
set(digested "")
foreach(folder ${digested_folders})
  file(GLOB_RECURSE files CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/${folder}/*.cc
       ${CMAKE_SOURCE_DIR}/${folder}/*.h ${CMAKE_SOURCE_DIR}/${folder}/*.inc
       ${CMAKE_SOURCE_DIR}/${folder}/*.proto)
  list(APPEND digested ${files})
endforeach()
list(SORT digested)
set(digest_list ${CMAKE_BINARY_DIR}/generated/source_digest.txt)
list(JOIN digested "\n" digested_lines)
file(GENERATE OUTPUT ${digest_list} CONTENT "${digested_lines}\n")
set(digest_source ${CMAKE_BINARY_DIR}/generated/source_digest.cc)
add_custom_command(OUTPUT ${digest_source}
  COMMAND ${CMAKE_COMMAND} -DROOT=${CMAKE_SOURCE_DIR} -DLIST=${digest_list} -DOUTPUT=${digest_source}
          -P ${CMAKE_SOURCE_DIR}/cmake/source_digest.cmake
  DEPENDS ${digested} ${digest_list} ${CMAKE_SOURCE_DIR}/cmake/source_digest.cmake VERBATIM)
target_sources(flipsat_tools PRIVATE ${digest_source})
