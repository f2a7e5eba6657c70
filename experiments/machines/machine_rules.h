// The rules by which a machine is simulated, under the keys of its file.
#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

#include "sim/hardware/hardware_profile.h"

namespace opyard::experiments {

// A table, one line per key.
[[nodiscard]] std::string RulesText(const sim::HardwareProfile& machine);

// {"rules", "execution", "fusion", "transfers", "memory"}; times in seconds.
[[nodiscard]] nlohmann::ordered_json RulesJson(const sim::HardwareProfile& machine);

}  // namespace opyard::experiments
