// The problem that a stored run was made on.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "env/problem.h"
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

// The devices that ops could be placed on in a run; empty: all.
[[nodiscard]] std::vector<std::string> DevicesOf(const RunRecord& record);

// The rule of `problem.memory` under which a run was made, if its experiment gave one.
[[nodiscard]] std::optional<sim::OnExceed> MemoryOf(const RunRecord& record);

}  // namespace opyard::experiments
