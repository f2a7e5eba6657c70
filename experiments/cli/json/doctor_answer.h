// The answer of `opyard doctor --json`.
#pragma once

#include <string>
#include <vector>

namespace opyard::experiments {

// The result of one check of an installation.
struct InstallationCheck {
  std::string name;
  bool is_ok = false;
  std::string detail;  // what there is, or what is wrong
};
[[nodiscard]] std::string DoctorJson(const std::vector<InstallationCheck>& checks);

}  // namespace opyard::experiments
