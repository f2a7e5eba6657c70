#include "sim/base/data_root.h"

#include <cstdlib>

#include <dlfcn.h>

namespace opyard {
namespace {

// The folder of the shared library that this code runs from.
std::filesystem::path LibraryFolder() {
  Dl_info info{};
  static constexpr char kInside = 0;
  if (dladdr(&kInside, &info) == 0 || info.dli_fname == nullptr) {
    return {};
  }
  return std::filesystem::path(info.dli_fname).parent_path();
}

}  // namespace

std::filesystem::path DataRoot() {
  if (const char* chosen = std::getenv("OPYARD_DATA"); chosen != nullptr && *chosen != '\0') {
    return chosen;
  }
  std::error_code ignored;
  const std::filesystem::path installed =
      (LibraryFolder() / OPYARD_DATA_FROM_LIBRARY).lexically_normal();
  const std::filesystem::path source = OPYARD_SOURCE_DIR;
  const bool is_installed = std::filesystem::exists(installed / "hardware_profiles", ignored);
  return is_installed || !std::filesystem::exists(source, ignored) ? installed : source;
}

}  // namespace opyard
