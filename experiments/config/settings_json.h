// The settings of a problem in JSON: as stores and resolved experiments hold them, under the keys
// of experiment files.
#pragma once

#include <optional>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include "env/problem_settings.h"
#include "env/setting_value.h"
#include "experiments/config/config.h"

namespace opyard::experiments {

// {"problem": …, "decide_per": …, "max_groups": …}; what says nothing is left out, and the baseline
// unless rewards are measured against it.
[[nodiscard]] nlohmann::ordered_json SettingsObject(const env::ProblemSettings& settings,
                                                    Rewards rewards);

// The value of the setting `field` (its name in env/problem_fields.h) in such an object, from
// whomever it is; nothing where it is missing or no value of any setting. REQUIRES: experiments
// have the setting.
[[nodiscard]] std::optional<env::SettingValue> FindSetting(const nlohmann::json& settings,
                                                           std::string_view field);

}  // namespace opyard::experiments
