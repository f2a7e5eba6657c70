// Experiments as plain values (docs/formats.md, "Experiment").
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "agents/registry.h"
#include "env/budget.h"
#include "env/problem_fields.h"
#include "env/problem_settings.h"
#include "experiments/config/training_config.h"
#include "experiments/config/tuning_config.h"
#include "sim/base/error.h"
#include "sim/base/options.h"

namespace opyard::experiments {

// One agent of the matrix: an entry of the list, or one combination of its grid.
struct AgentConfig {
  std::string label;  // unique in its experiment; stands in tables
  std::string name;   // in the registry
  Options params;
  std::optional<env::Budget> budget;  // instead of the experiment's, all of it
  // Trained once on the experiment's split before its runs, which begin with those weights.
  bool is_trained = false;
  std::optional<agents::PluginFile> plugin = {};  // that it comes from
};

// A graph on a machine, by their references.
struct PairConfig {
  std::string graph;
  std::string hardware;
  std::string place;  // where it stands, for messages: "FILE:LINE:COL"
};

struct ExperimentConfig {
  std::string name;
  std::filesystem::path folder;       // of its file: where relative references are tried second
  std::vector<std::string> graphs;    // references, each once; no absolute paths
  std::vector<std::string> hardware;  // the same
  std::vector<PairConfig> pairs;      // of them, each once; empty: every graph on every machine
  // That every graph and machine poses. `baseline` is the label of an agent of the matrix, or the
  // name of any agent.
  env::ProblemSettings problem = env::DefaultsAt(env::Door::kExperiment);
  env::Budget budget;               // per run; some agents have their own
  std::vector<AgentConfig> agents;  // each label once
  std::vector<std::int64_t> seeds;  // each once
  TrainingConfig training;          // of `opyard train`
  TuningConfig tuning;              // of `opyard tune`
  std::string optima;               // table of known step times (comparison/optima.h); "" for none
  std::string optima_place;         // where it stands, for messages

  // Where each graph, machine and agent stands, for messages: "FILE:LINE:COL". As long as the lists
  // themselves.
  std::vector<std::string> graph_places;
  std::vector<std::string> hardware_places;
  std::vector<std::string> agent_places;
};

// The budget of a run where none is given: kept free of the clock, so that results repeat.
inline constexpr std::int64_t kDefaultEvaluations = 2000;

// Reads an experiment file with its includes, then the overrides ("budget.seconds=10") in order,
// and puts what patterns among the graphs and machines stand for in their place
// (input_pattern.h). An agent that can be trained is, if there is a split to train on, unless it is
// given a checkpoint. Throws InputError listing every problem as "FILE:LINE:COL: found, expected".
// Agents and their parameters are checked against `registry`; that graphs and machines exist is not
// checked here.
[[nodiscard]] ExperimentConfig ReadExperiment(const std::filesystem::path& path,
                                              const std::vector<std::string>& overrides,
                                              const agents::AgentRegistry& registry);

// The same, but adds what is wrong to `diagnostics`: then the answer is what could be read.
[[nodiscard]] ExperimentConfig ReadExperiment(const std::filesystem::path& path,
                                              const std::vector<std::string>& overrides,
                                              const agents::AgentRegistry& registry,
                                              Diagnostics& diagnostics);

// The graphs and machines that make a problem each, in the order of the experiment, graphs
// outermost.
[[nodiscard]] std::vector<PairConfig> PairsOf(const ExperimentConfig& config);

// The budget of each run of `agent`.
[[nodiscard]] const env::Budget& BudgetOf(const ExperimentConfig& config, const AgentConfig& agent);

// Whether a run was given rewards, which are measured against the baseline.
enum class Rewards : std::uint8_t { kNone, kGiven };

// The problem and the budget of a run of `agent` as a JSON object: equal text, equal conditions of
// a run. It has `budget_of`, which says "agent", if the budget is the agent's own. It has
// `problem.baseline` for a run to which it mattered, and `problem.memory` and `devices` if they are
// given. It has `training`, what the agent was trained on and how long, and `plugin`, the name and
// the digest of the file that the agent comes from, if there are such.
[[nodiscard]] std::string SettingsJson(const ExperimentConfig& config,
                                       const AgentConfig& agent,
                                       Rewards rewards);

// The problem alone, without its baseline, as a JSON object.
[[nodiscard]] std::string ProblemJson(const env::ProblemSettings& problem);

// Parameters as a JSON object, sorted by name.
[[nodiscard]] std::string ParamsJson(const Options& params);

}  // namespace opyard::experiments
