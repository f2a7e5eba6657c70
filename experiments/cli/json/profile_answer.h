// The answers of `opyard profile list`, `validate` and `show` with --json.
#pragma once

#include <string>
#include <vector>

#include "experiments/machines/profile_reading.h"
#include "sim/hardware/hardware_profile.h"

namespace opyard::experiments {

// A shipped profile.
struct ListedProfile {
  std::string name;
  std::string what;  // "device" or "machine"
  std::string kind;  // "gpu"
};
[[nodiscard]] std::string ProfileListJson(const std::vector<ListedProfile>& profiles);

// Of a profile that is right: what is odd about it all the same.
[[nodiscard]] std::string ProfileValidJson(const ProfileReading& reading);

// The same as profile_text.h says of it; units stand in the keys.
[[nodiscard]] std::string ProfileJson(const ProfileReading& reading);

}  // namespace opyard::experiments
