// The command that repeats one run.
#pragma once

#include <optional>
#include <string>

#include "experiments/runner/config/config.h"
#include "experiments/runner/store/run_record.h"

namespace opyard::experiments {

// "opyard place --graph … --seed 3 …": what is not said there equals the defaults of `opyard
// place`.
[[nodiscard]] std::string ReproduceCommand(const ExperimentConfig& config,
                                           const CellKey& cell,
                                           const AgentConfig& agent,
                                           const std::optional<ReferenceRecord>& reference);

// `word` as a POSIX shell reads it back: quoted where it has to be.
[[nodiscard]] std::string ShellQuoted(const std::string& word);

}  // namespace opyard::experiments
