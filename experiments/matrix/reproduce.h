// Commands that repeat a run, or go on with what was interrupted.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "agents/base/agent_registry.h"
#include "experiments/config/config.h"
#include "experiments/store/run_record.h"

namespace opyard::experiments {

// "opyard place --graph … --seed 3 …": what is not said there equals the defaults of `opyard
// place`.
[[nodiscard]] std::string ReproduceCommand(const ExperimentConfig& config,
                                           const CellKey& cell,
                                           const AgentConfig& agent,
                                           const std::optional<ReferenceRecord>& reference);

// " --plugin FILE" for each plugin that brought agents to `registry`.
[[nodiscard]] std::string PluginOptions(const agents::AgentRegistry& registry);

// Where a command on an experiment keeps what it makes: `out`, or results/NAME where that is empty.
[[nodiscard]] std::filesystem::path FolderOf(const std::string& out,
                                             const ExperimentConfig& config);

// "opyard SUBCOMMAND EXPERIMENT --out FOLDER --resume": other options may follow.
[[nodiscard]] std::string ResumeCommand(const std::string& subcommand,
                                        const std::string& experiment,
                                        const std::filesystem::path& folder);

// `word` as a POSIX shell reads it back: quoted where it has to be.
[[nodiscard]] std::string ShellQuoted(const std::string& word);

}  // namespace opyard::experiments
