#include "experiments/cli/json/doctor_answer.h"

#include <nlohmann/json.hpp>

namespace opyard::experiments {

std::string DoctorJson(const std::vector<InstallationCheck>& checks) {
  nlohmann::ordered_json json = nlohmann::ordered_json::array();
  for (const InstallationCheck& check : checks) {
    json.push_back({{"check", check.name}, {"ok", check.is_ok}, {"detail", check.detail}});
  }
  return json.dump();
}

}  // namespace opyard::experiments
