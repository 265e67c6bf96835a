# Installs the engine, moves it, and builds a client of the installed files.
#
#   cmake -D BUILD=build -D WORK=scratch -D CXX=g++ -D "FLAGS=..." -D TYPE=Release
#         -D EXAMPLE=examples/cpp -D MODULE=m.hlo -D FLIPSAT=build/flipsat -P run.cmake
cmake_minimum_required(VERSION 3.25)

function(expect_success)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE result OUTPUT_VARIABLE out ERROR_VARIABLE out)
  if(NOT result EQUAL 0)
    list(JOIN ARGN " " command)
    message(FATAL_ERROR "${command}\n${out}")
  endif()
  set(out "${out}" PARENT_SCOPE)
endfunction()

file(REMOVE_RECURSE ${WORK})
expect_success(${CMAKE_COMMAND} --install ${BUILD} --component egraph --prefix ${WORK}/installed)

# The package may be moved, and holds nothing but the engine: no sources, nothing of other folders.
file(RENAME ${WORK}/installed ${WORK}/prefix)
file(GLOB_RECURSE files RELATIVE ${WORK}/prefix ${WORK}/prefix/*)
foreach(file IN LISTS files)
  if(NOT file MATCHES "^include/flipsat/egraph/.*\\.h$|^lib.*/libflipsat_egraph\\.a$|^lib.*/cmake/flipsat/")
    message(FATAL_ERROR "installed, but not of the engine: ${file}")
  endif()
endforeach()

set(configure ${CMAKE_COMMAND} -S ${CMAKE_CURRENT_LIST_DIR} -G Ninja
    -D CMAKE_CXX_COMPILER=${CXX} -D CMAKE_BUILD_TYPE=${TYPE} "-DCMAKE_CXX_FLAGS=${FLAGS}"
    -D CMAKE_PREFIX_PATH=${WORK}/prefix)

expect_success(${configure} -B ${WORK}/build)
expect_success(${CMAKE_COMMAND} --build ${WORK}/build)
expect_success(${WORK}/build/consumer)
if(NOT out STREQUAL "saturated: x\n")
  message(FATAL_ERROR "the client printed: ${out}")
endif()

# What is not installed is refused by name.
execute_process(COMMAND ${configure} -B ${WORK}/refused "-DCOMPONENTS=egraph;hlo"
                RESULT_VARIABLE result OUTPUT_QUIET ERROR_VARIABLE err)
string(REGEX REPLACE "[ \n]+" " " err "${err}")
string(FIND "${err}" "component not installed: hlo. Installed here: egraph." at)
if(result EQUAL 0 OR at EQUAL -1)
  message(FATAL_ERROR "an absent component was not refused in so many words: ${err}")
endif()

# The whole optimizer: its headers are enough for the example of docs/cpp.md, which is built as users would.
expect_success(${CMAKE_COMMAND} --install ${BUILD} --component optimizer --prefix ${WORK}/prefix)
file(GLOB sources ${WORK}/prefix/include/flipsat/*/*.cc)
if(sources)
  message(FATAL_ERROR "sources were installed: ${sources}")
endif()
list(TRANSFORM configure REPLACE "^${CMAKE_CURRENT_LIST_DIR}$" ${EXAMPLE})
expect_success(${configure} -B ${WORK}/example)
expect_success(${CMAKE_COMMAND} --build ${WORK}/example)
expect_success(${WORK}/example/optimize_module ${MODULE} ${WORK}/optimized.pb)
if(NOT out MATCHES "^([0-9.]+) us -> ([0-9.]+) us, ([0-9]+) changes\n  %[^\n]*: gather-convert\n")
  message(FATAL_ERROR "the example printed: ${out}")
endif()
if(NOT CMAKE_MATCH_2 LESS CMAKE_MATCH_1)
  message(FATAL_ERROR "the example found nothing: ${out}")
endif()
expect_success(${FLIPSAT} verify ${MODULE} ${WORK}/optimized.pb)
