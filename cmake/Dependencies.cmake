# Every package the build uses, with its least version, in one place. All come from the system.
find_package(Threads REQUIRED)
find_package(ZLIB 1.2 REQUIRED)
find_package(Boost 1.74 REQUIRED)
find_package(yaml-cpp 0.7 REQUIRED)
find_package(nlohmann_json 3.11 REQUIRED)
find_package(CLI11 2.1 REQUIRED)
find_package(SQLite3 3.40 REQUIRED)
find_package(OpenSSL 3.0 REQUIRED COMPONENTS Crypto)
find_package(pugixml 1.13 REQUIRED)
if(NOT TARGET yaml-cpp AND TARGET yaml-cpp::yaml-cpp)
  add_library(yaml-cpp ALIAS yaml-cpp::yaml-cpp)
endif()

# METIS ships no CMake package on Debian.
find_path(METIS_INCLUDE_DIR metis.h REQUIRED)
find_library(METIS_LIBRARY metis REQUIRED)
add_library(opyard_metis INTERFACE)
target_include_directories(opyard_metis SYSTEM INTERFACE ${METIS_INCLUDE_DIR})
target_link_libraries(opyard_metis INTERFACE ${METIS_LIBRARY})
add_library(opyard::metis ALIAS opyard_metis)

# Nor does Scotch. Its errors come from a library of their own: this one prints them and goes on.
find_path(SCOTCH_INCLUDE_DIR scotch/scotch.h REQUIRED)
find_library(SCOTCH_LIBRARY scotch REQUIRED)
find_library(SCOTCH_ERROR_LIBRARY scotcherr REQUIRED)
add_library(opyard_scotch INTERFACE)
target_include_directories(opyard_scotch SYSTEM INTERFACE ${SCOTCH_INCLUDE_DIR})
target_link_libraries(opyard_scotch INTERFACE ${SCOTCH_LIBRARY} ${SCOTCH_ERROR_LIBRARY})
add_library(opyard::scotch ALIAS opyard_scotch)

# Nor does CLP.
find_path(CLP_INCLUDE_DIR coin/ClpSimplex.hpp REQUIRED)
find_library(CLP_LIBRARY Clp REQUIRED)
find_library(COIN_UTILS_LIBRARY CoinUtils REQUIRED)
add_library(opyard_clp INTERFACE)
target_include_directories(opyard_clp SYSTEM INTERFACE ${CLP_INCLUDE_DIR})
target_link_libraries(opyard_clp INTERFACE ${CLP_LIBRARY} ${COIN_UTILS_LIBRARY})
add_library(opyard::clp ALIAS opyard_clp)

# Header-only reader of Protocol Buffers' wire format, without libprotobuf, of which LibTorch
# brings a copy of its own.
find_path(PROTOZERO_INCLUDE_DIR protozero/pbf_reader.hpp REQUIRED)
add_library(opyard_protozero INTERFACE)
target_include_directories(opyard_protozero SYSTEM INTERFACE ${PROTOZERO_INCLUDE_DIR})
add_library(opyard::protozero ALIAS opyard_protozero)

# The environment that ./dev makes comes first, so that the bare presets use it, too.
if(NOT DEFINED Python_EXECUTABLE AND NOT SKBUILD AND EXISTS ${PROJECT_SOURCE_DIR}/.venv/bin/python)
  set(Python_EXECUTABLE ${PROJECT_SOURCE_DIR}/.venv/bin/python)
endif()
if(OPYARD_WITH_PYTHON)
  find_package(Python 3.11 REQUIRED COMPONENTS Interpreter Development.Module)
  execute_process(
    COMMAND ${Python_EXECUTABLE} -m pybind11 --cmakedir
    OUTPUT_VARIABLE pybind11_DIR
    OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  set(PYBIND11_FINDPYTHON ON)
  find_package(pybind11 3.0.4 EXACT REQUIRED CONFIG)
endif()
if(OPYARD_WITH_TESTS)
  find_package(Python 3.11 COMPONENTS Interpreter)
  find_package(GTest 1.12 REQUIRED)
  find_package(rapidcheck REQUIRED)
  include(GoogleTest)
endif()
