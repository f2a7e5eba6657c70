// Rows of stores of before schema version 7, whose agents and options had other names.
#pragma once

#include <string>

#include "experiments/store/run_record.h"
#include "experiments/store/sqlite.h"
#include "experiments/store/stored_training.h"

namespace opyard::experiments {

// The words of a row that name its agent.
struct AgentWords {
  std::string label;      // of the experiment; it follows `name` where it is the same
  std::string name;       // in the registry
  std::string params;     // JSON object
  std::string reproduce;  // a command
  friend bool operator==(const AgentWords&, const AgentWords&) = default;
};

// `words` with the names of today (agents/base/former_names.h). Throws InputError if `params` is no
// JSON object of numbers, words and flags.
[[nodiscard]] AgentWords WithNewNames(const AgentWords& words);

void UseNewNames(RunRecord& record);
void UseNewNames(StoredTraining& training);

// A store's description of its experiment: `resolved` and `matrix` (docs/formats.md, "Results").
struct ExperimentWords {
  std::string resolved;
  std::string matrix;
};
// Texts that are no JSON objects, as those of older stores, stay as they are.
[[nodiscard]] ExperimentWords WithNewNames(const ExperimentWords& words);

// Rewrites the rows and the experiment of `database`. REQUIRES: a transaction is open, and the
// tables are current.
void RenameRows(Database& database);

}  // namespace opyard::experiments
