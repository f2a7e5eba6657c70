// The problem that a stored run was made on.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string_view>

#include "env/problem.h"
#include "env/setting_value.h"
#include "experiments/store/result_store.h"

namespace opyard::experiments {

// The graph and the machine of a run, as the store holds them, else from their sources, which must
// not have changed; `folder` is the experiment's. Every task is open, which says nothing of the
// run. Throws InputError if they cannot be had.
[[nodiscard]] std::shared_ptr<const env::Problem> ProblemOf(ResultStore& store,
                                                            const RunRecord& record,
                                                            const std::filesystem::path& folder);

// Where the experiment of `store` stood.
[[nodiscard]] std::filesystem::path ExperimentFolderOf(ResultStore& store);

// The settings of a run on which it depends what its plan is worth, `memory`, `devices` and
// `cost_model`; the others have their defaults. Throws InputError if they cannot be read.
[[nodiscard]] env::ProblemSettings ReplaySettings(const RunRecord& record);

// The setting `field` of a run (its name in env/problem_fields.h) as it is stored, read or not;
// nothing if it is not there.
[[nodiscard]] std::optional<env::SettingValue> StoredSetting(const RunRecord& record,
                                                             std::string_view field);

}  // namespace opyard::experiments
