# How the project's targets are made: flags, layers, tests.

add_library(opyard_flags INTERFACE)
target_compile_features(opyard_flags INTERFACE cxx_std_20)
target_include_directories(opyard_flags INTERFACE ${PROJECT_SOURCE_DIR})
target_compile_options(
  opyard_flags INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wnon-virtual-dtor
                         -Wold-style-cast -Wno-missing-field-initializers
                         $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>
                         $<$<BOOL:${OPYARD_WARNINGS_AS_ERRORS}>:-Werror>)
if(OPYARD_SANITIZE)
  target_compile_options(opyard_flags INTERFACE -fsanitize=${OPYARD_SANITIZE}
                                                -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(opyard_flags INTERFACE -fsanitize=${OPYARD_SANITIZE})
endif()
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
find_program(CCACHE_PROGRAM ccache)
if(CCACHE_PROGRAM AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CCACHE_PROGRAM})
endif()

# opyard_layer(name [LAYERS ...] [PACKAGES ...]): the OBJECT library of one folder and its alias.
function(opyard_layer name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "LAYERS;PACKAGES")
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${name}/*.cc)
  list(FILTER sources EXCLUDE REGEX "/main\\.cc$|/agents/learned/")
  add_library(opyard_${name} OBJECT ${sources})
  add_library(opyard::${name} ALIAS opyard_${name})
  list(TRANSFORM arg_LAYERS PREPEND opyard::)
  target_link_libraries(opyard_${name} PUBLIC opyard_flags ${arg_LAYERS} ${arg_PACKAGES})
endfunction()

# opyard_uses_torch_headers(target): how a target that includes LibTorch is compiled, so that the
# precompiled header fits it and ccache takes its sources.
function(opyard_uses_torch_headers target)
  if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
    target_compile_options(${target} PRIVATE -fpch-preprocess)
  endif()
  if(CMAKE_CXX_COMPILER_LAUNCHER MATCHES ccache)
    set_target_properties(
      ${target} PROPERTIES CXX_COMPILER_LAUNCHER
                           "${CMAKE_COMMAND};-E;env;CCACHE_SLOPPINESS=pch_defines,time_macros;\
${CMAKE_CXX_COMPILER_LAUNCHER}")
  endif()
endfunction()

# opyard_test(name): one GoogleTest program from tests/<name>/**.cc, one ctest per case. Those of
# agents/learned make a program of their own (tests/CMakeLists.txt).
function(opyard_test name)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/${name}/*.cc)
  list(FILTER sources EXCLUDE REGEX "/agents/learned/")
  add_executable(${name}_tests ${sources})
  target_link_libraries(${name}_tests PRIVATE opyard_shared opyard_test_support GTest::gtest_main
                                              GTest::gmock)
  gtest_discover_tests(${name}_tests TEST_PREFIX "${name}." DISCOVERY_TIMEOUT 60
                       WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}
                       PROPERTIES ENVIRONMENT "RC_PARAMS=seed=20 max_success=150")
endfunction()
