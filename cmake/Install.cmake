# What `cmake --install` puts where: the headers, libopyard, the program, the data that it ships with
# and the CMake package `opyard` (docs/cpp.md). The wheel is the component `python`, which is no part
# of it (bindings/CMakeLists.txt).
include(CMakePackageConfigHelpers)

# --- Libraries and headers ---

# Everything a header of these layers includes is in them, too, or in the standard library; but
# boost_graph.h, which asks for Boost. Headers behind a fence stay here.
set(public_headers "")
foreach(layer sim graphs env agents)
  file(GLOB_RECURSE headers CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${layer}/*.h)
  list(APPEND public_headers ${headers})
endforeach()
list(FILTER public_headers EXCLUDE REGEX
     "/agents/learned/|/graphs/importers/(xml|graphml|gxl)/|/graphs/importers/tensorflow/proto_wire.h$")
target_sources(opyard_shared INTERFACE FILE_SET HEADERS BASE_DIRS ${PROJECT_SOURCE_DIR}
                                       FILES ${public_headers})
target_compile_features(opyard_shared INTERFACE cxx_std_20)
set_target_properties(opyard_shared PROPERTIES EXPORT_NAME opyard)

# A folder of their own, so that `#include "env/problem.h"` means no other project's.
install(
  TARGETS opyard_shared
  EXPORT opyard
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
  FILE_SET HEADERS DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/opyard)

# --- The program and its data ---

cmake_path(RELATIVE_PATH CMAKE_INSTALL_FULL_LIBDIR BASE_DIRECTORY ${CMAKE_INSTALL_FULL_BINDIR}
           OUTPUT_VARIABLE libraries_from_program)
set_target_properties(opyard_program PROPERTIES INSTALL_RPATH "$ORIGIN/${libraries_from_program}")
install(TARGETS opyard_program RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
if(OPYARD_HAS_TORCH)
  install(TARGETS opyard_learned LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
endif()
foreach(folder ${OPYARD_DATA_FOLDERS})
  cmake_path(GET folder PARENT_PATH parent)
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/${folder}
          DESTINATION ${CMAKE_INSTALL_DATADIR}/opyard/${parent})
endforeach()

# --- The package ---

set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/opyard)
install(EXPORT opyard NAMESPACE opyard:: FILE opyardTargets.cmake DESTINATION ${package_folder})
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/opyardConfig.cmake.in opyardConfig.cmake
                              INSTALL_DESTINATION ${package_folder})
write_basic_package_version_file(opyardConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/opyardConfig.cmake
              ${CMAKE_CURRENT_BINARY_DIR}/opyardConfigVersion.cmake DESTINATION ${package_folder})
