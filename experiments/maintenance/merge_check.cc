#include "experiments/maintenance/merge_check.h"

#include <algorithm>

#include "experiments/matrix/differences.h"
#include "experiments/text/number_format.h"
#include "sim/base/error.h"

namespace opyard::experiments {
namespace {

std::string NameOf(const CellKey& cell) {
  return "run of " + cell.agent + " on " + cell.graph + ", " + cell.hardware + ", seed " +
         std::to_string(cell.seed);
}

// The values that must be equal where two stores hold the same cell; times may differ.
nlohmann::json AnswerOf(const RunRecord& record) {
  const auto makespan = record.makespan.value_or(SimTime{-1}).picoseconds;
  return {{"outcome", record.outcome},
          {"makespan_ps", makespan < 0 ? nlohmann::json() : nlohmann::json(makespan)},
          {"evaluations", record.evaluations}};
}

}  // namespace

void MergeCheck::Compare(const std::string& key,
                         const nlohmann::json& value,
                         const std::string& place) {
  const auto [seen, is_new] = seen_.try_emplace(key, Seen{.value = value, .place = place});
  if (is_new || seen->second.value == value) {
    return;
  }
  Differences differences(seen->second.place + " has", place + " has");
  differences.AddJson(key, seen->second.value, value);
  for (const std::string& line : differences.lines()) {
    if (std::ranges::find(lines_, line) == lines_.end()) {
      lines_.push_back(line);
    }
  }
}

void MergeCheck::AddRun(const RunRecord& record, const std::string& place) {
  const CellKey& cell = record.cell;
  const std::string agent = "agent " + cell.agent;
  Compare(agent + ": name", nlohmann::json(record.agent_name), place);
  Compare(agent + ": params", ParseStored(record.params), place);
  nlohmann::json settings = ParseStored(record.settings);
  if (settings.is_object()) {  // the budget may be the agent's own, the rest is the experiment's
    for (const char* own : {"budget", "budget_of", "training", "plugin"}) {
      Compare(agent + ": " + own, settings.value(own, nlohmann::json()), place);
      settings.erase(own);
    }
    if (settings.contains("problem") && settings["problem"].is_object()) {
      Compare(agent + ": baseline", settings["problem"].value("baseline", nlohmann::json()), place);
      settings["problem"].erase("baseline");
    }
  }
  Compare("experiment", settings, place);
  Compare("graph " + cell.graph + ": SHA-256",
          nlohmann::json(record.graph_sha256.substr(0, 12)),
          place);
  Compare("machine " + cell.hardware + ": SHA-256",
          nlohmann::json(record.hardware_sha256.substr(0, 12)),
          place);
  if (record.reference.has_value()) {
    Compare("T_ref of " + cell.graph + " on " + cell.hardware,
            nlohmann::json(record.reference->score),
            place);
  }
  Compare(NameOf(cell), AnswerOf(record), place);
}

void MergeCheck::Add(ResultStore& store) {
  const std::string& place = store.place();
  Compare("experiment: name", nlohmann::json(store.Info().experiment), place);
  for (const StoredTraining& training : store.Trainings()) {
    Compare("training of " + training.agent + ": weights' SHA-256",
            nlohmann::json(training.weights_sha256.substr(0, 12)),
            place);
  }
  for (const StoredRun& run : store.Runs()) {
    AddRun(run.record, place);
  }
}

void MergeCheck::ThrowIfAny() const {
  Diagnostics diagnostics;
  for (const std::string& line : lines_) {
    diagnostics.AddError("these results cannot be joined", line);
  }
  diagnostics.ThrowIfAny();
}

}  // namespace opyard::experiments
