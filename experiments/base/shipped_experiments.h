// The experiments that ship with the program, below experiments/configs/.
#pragma once

#include <algorithm>
#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

#include "sim/base/data_root.h"

namespace opyard::experiments {

[[nodiscard]] inline std::filesystem::path ShippedExperimentsFolder() {
  return DataRoot() / "experiments" / "configs";
}

// Their names, sorted; empty if there is no such folder.
[[nodiscard]] inline std::vector<std::string> ShippedExperiments() {
  std::vector<std::string> names;
  std::error_code ignored;
  for (const auto& entry :
       std::filesystem::directory_iterator(ShippedExperimentsFolder(), ignored)) {
    if (entry.path().extension() == ".yaml") {
      names.push_back(entry.path().stem().string());
    }
  }
  std::ranges::sort(names);
  return names;
}

}  // namespace opyard::experiments
