# LibTorch as opyard::torch, from the torch package of the Python that the build uses.
#
# Not find_package(Torch): with a CUDA-enabled wheel that demands the CUDA toolkit, which nothing
# here needs. Sets OPYARD_HAS_TORCH and OPYARD_TORCH_VERSION ("2.13.0").
set(OPYARD_WITH_TORCH AUTO
    CACHE STRING "Build the learned agents: ON, OFF, or AUTO (if the build's Python has torch)")
set_property(CACHE OPYARD_WITH_TORCH PROPERTY STRINGS AUTO ON OFF)
set(OPYARD_TORCH_MINOR 2.13) # LibTorch has no stable ABI; headers and library are of one version
set(OPYARD_HAS_TORCH OFF)
set(OPYARD_TORCH_VERSION "")
if(NOT OPYARD_WITH_TORCH)
  return()
endif()

find_package(Python 3.11 COMPONENTS Interpreter)
set(install_torch "'${Python_EXECUTABLE}' -m pip install 'torch==${OPYARD_TORCH_MINOR}.*'")
execute_process(
  COMMAND ${Python_EXECUTABLE} -c "import torch; print(torch.__path__[0], torch.__version__, \
torch.compiled_with_cxx11_abi(), sep=';')"
  RESULT_VARIABLE torch_status
  OUTPUT_VARIABLE torch_answer
  ERROR_VARIABLE torch_error
  OUTPUT_STRIP_TRAILING_WHITESPACE)
if(NOT torch_status EQUAL 0)
  if(OPYARD_WITH_TORCH STREQUAL AUTO)
    message(STATUS "No torch in ${Python_EXECUTABLE}: the learned agents are left out. "
                   "To have them: ${install_torch}")
    return()
  endif()
  message(FATAL_ERROR "OPYARD_WITH_TORCH=ON, but ${Python_EXECUTABLE} cannot import torch:\n"
                      "${torch_error}To mend it: ${install_torch}")
endif()

list(GET torch_answer -3 torch_folder)
list(GET torch_answer -2 torch_version)
list(GET torch_answer -1 torch_has_cxx11_abi)
if(NOT torch_version MATCHES "^${OPYARD_TORCH_MINOR}\\.")
  message(FATAL_ERROR "torch ${torch_version} in ${torch_folder}, but opyard is made for torch "
                      "${OPYARD_TORCH_MINOR}. To mend it: ${install_torch}\n"
                      "Or build without the learned agents: -DOPYARD_WITH_TORCH=OFF")
endif()
if(NOT torch_has_cxx11_abi)
  message(FATAL_ERROR "torch in ${torch_folder} was built with the old ABI of libstdc++. "
                      "To mend it: ${install_torch}")
endif()
string(REGEX MATCH "^[0-9]+\\.[0-9]+\\.[0-9]+" OPYARD_TORCH_VERSION ${torch_version})
set(OPYARD_TORCH_LIBRARIES ${torch_folder}/lib)

# libtorch.so itself is an empty shell around libtorch_cpu (and libtorch_cuda, where there is one).
foreach(name torch_cpu c10)
  find_library(OPYARD_LIB_${name} ${name} PATHS ${torch_folder}/lib NO_DEFAULT_PATH NO_CACHE
               REQUIRED)
  add_library(opyard_${name} SHARED IMPORTED)
  set_target_properties(opyard_${name} PROPERTIES IMPORTED_LOCATION ${OPYARD_LIB_${name}})
endforeach()
add_library(opyard_torch INTERFACE)
target_include_directories(
  opyard_torch SYSTEM INTERFACE ${torch_folder}/include
                                ${torch_folder}/include/torch/csrc/api/include)
target_compile_definitions(opyard_torch INTERFACE _GLIBCXX_USE_CXX11_ABI=1)
target_link_libraries(opyard_torch INTERFACE opyard_torch_cpu opyard_c10)
add_library(opyard::torch ALIAS opyard_torch)
set(OPYARD_HAS_TORCH ON)
message(STATUS "torch ${torch_version} in ${torch_folder}: the learned agents are built")
