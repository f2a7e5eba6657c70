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
  list(FILTER sources EXCLUDE REGEX "/main\\.cc$")
  add_library(opyard_${name} OBJECT ${sources})
  add_library(opyard::${name} ALIAS opyard_${name})
  list(TRANSFORM arg_LAYERS PREPEND opyard::)
  target_link_libraries(opyard_${name} PUBLIC opyard_flags ${arg_LAYERS} ${arg_PACKAGES})
endfunction()

# opyard_test(name): one GoogleTest program from tests/<name>/**.cc, one ctest per case.
function(opyard_test name)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/${name}/*.cc)
  add_executable(${name}_tests ${sources})
  target_link_libraries(${name}_tests PRIVATE opyard_shared opyard_test_support GTest::gtest_main
                                              GTest::gmock)
  gtest_discover_tests(${name}_tests TEST_PREFIX "${name}." DISCOVERY_TIMEOUT 60
                       WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
endfunction()
