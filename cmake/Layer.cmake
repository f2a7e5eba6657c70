# How the project's targets are made: flags, layers, tests.

add_library(opyard_flags INTERFACE)
target_compile_features(opyard_flags INTERFACE cxx_std_20)
target_include_directories(opyard_flags INTERFACE ${PROJECT_SOURCE_DIR})
target_compile_options(
  opyard_flags INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wnon-virtual-dtor
                         -Wold-style-cast -Wno-missing-field-initializers
                         # False alarms of GCC 12 in its own std::string and std::optional.
                         "$<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized;-Wno-array-bounds;\
-Wno-restrict;-Wno-stringop-overflow>"
                         $<$<BOOL:${OPYARD_WARNINGS_AS_ERRORS}>:-Werror>)
if(OPYARD_SANITIZE)
  target_compile_options(opyard_flags INTERFACE -fsanitize=${OPYARD_SANITIZE}
                                                -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(opyard_flags INTERFACE -fsanitize=${OPYARD_SANITIZE})
  if(OPYARD_SANITIZE STREQUAL thread AND CMAKE_CXX_COMPILER_ID STREQUAL GNU)
    # Boost.Asio's thread context fences; the tool knows its locks without them.
    target_compile_options(opyard_flags INTERFACE -Wno-tsan)
  endif()
endif()
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

# Files are named from the root of the project in messages, debug information and thus in what
# ccache keeps, so that it serves a clone at another path, too: with absolute paths, and with the
# relative ones that ccache makes of them.
file(RELATIVE_PATH root_from_build ${CMAKE_BINARY_DIR} ${PROJECT_SOURCE_DIR}/)
target_compile_options(opyard_flags INTERFACE -ffile-prefix-map=${PROJECT_SOURCE_DIR}/=
                                              -ffile-prefix-map=${root_from_build}=)

find_program(CCACHE_PROGRAM ccache)
if(CCACHE_PROGRAM AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CCACHE_PROGRAM})
endif()
if(CMAKE_CXX_COMPILER_LAUNCHER MATCHES ccache)
  # ccache takes sources with a precompiled header only with this option.
  list(PREPEND CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env
       CCACHE_BASEDIR=${PROJECT_SOURCE_DIR} CCACHE_SLOPPINESS=pch_defines,time_macros)
endif()

# opyard_layer(name [LAYERS ...] [PACKAGES ...] [PRECOMPILE ...]): the OBJECT library of one folder and its alias.
function(opyard_layer name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "LAYERS;PACKAGES;PRECOMPILE")
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${name}/*.cc)
  list(FILTER sources EXCLUDE REGEX "/main\\.cc$|/agents/learned/")
  add_library(opyard_${name} OBJECT ${sources})
  add_library(opyard::${name} ALIAS opyard_${name})
  list(TRANSFORM arg_LAYERS PREPEND opyard::)
  target_link_libraries(opyard_${name} PUBLIC opyard_flags ${arg_LAYERS} ${arg_PACKAGES})
  opyard_precompile(opyard_${name} ${OPYARD_STANDARD_HEADERS} ${arg_PRECOMPILE})
  opyard_batches(opyard_${name})
endfunction()

# opyard_batches(target [SIZE]): eight or SIZE sources are compiled at once, unless OPYARD_UNITY_BUILD
# is off. Names in anonymous namespaces are therefore unique in a layer, or overloads.
function(opyard_batches target)
  set(size 8)
  if(ARGC GREATER 1)
    set(size ${ARGV1})
  endif()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ${OPYARD_UNITY_BUILD}
                                             UNITY_BUILD_BATCH_SIZE ${size}
                                             UNITY_BUILD_RELOCATABLE ON)  # of CMake 4.0; for ccache
endfunction()

# Reading these is half of the time that a short source takes.
set(OPYARD_STANDARD_HEADERS <algorithm> <array> <filesystem> <functional> <map> <memory> <optional>
                            <ranges> <set> <span> <string> <string_view> <utility> <vector>)

# opyard_precompile(target HEADER... | REUSE_FROM owner): headers that the target's sources share,
# read once.
function(opyard_precompile target)
  if(ARGV1 STREQUAL REUSE_FROM)
    target_precompile_headers(${target} REUSE_FROM ${ARGV2})
  else()
    target_precompile_headers(${target} PRIVATE ${ARGN})
  endif()
  if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
    target_compile_options(${target} PRIVATE -fpch-preprocess)
  else()  # a header that carries the time at which it was read is another one to ccache
    target_compile_options(${target} PRIVATE "SHELL:-Xclang -fno-pch-timestamp")
  endif()
endfunction()

# opyard_test_flags(target LEVEL): tests are compiled once and run once, so that little optimisation
# pays; what shares a precompiled header has one level.
function(opyard_test_flags target level)
  target_compile_options(${target} PRIVATE ${level})
  set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
endfunction()

# opyard_precompile_tests(target): the header and the flags that test programs share
# (tests/CMakeLists.txt).
function(opyard_precompile_tests target)
  if(OPYARD_SANITIZE)
    opyard_precompile(${target} REUSE_FROM opyard_test_header)
    opyard_test_flags(${target} -O0)
  else()
    opyard_precompile(${target} REUSE_FROM opyard_test_support)
    opyard_test_flags(${target} -O1)
  endif()
endfunction()

# opyard_test(name LIBRARY...): one GoogleTest program from tests/<name>/**.cc, one ctest per case.
# Those of agents/learned make a program of their own (tests/CMakeLists.txt).
function(opyard_test name)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/${name}/*.cc)
  list(FILTER sources EXCLUDE REGEX "/agents/learned/|/agents/((module_)?conformance_test|golden_test|problems)\\.cc$")
  add_executable(${name}_tests ${sources})
  target_link_libraries(${name}_tests PRIVATE ${ARGN} opyard_test_support GTest::gtest_main)
  opyard_precompile_tests(${name}_tests)
  gtest_discover_tests(${name}_tests TEST_PREFIX "${name}." DISCOVERY_TIMEOUT 60
                       WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}
                       PROPERTIES ENVIRONMENT "RC_PARAMS=seed=20 max_success=150")
endfunction()
