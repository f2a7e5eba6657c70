#include "experiments/matrix/resume_check.h"

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "experiments/matrix/differences.h"

namespace opyard::experiments {
namespace {

using Json = nlohmann::json;

void CompareSeeds(const StoredRuns& runs, const ExperimentConfig& config, Differences& found) {
  std::set<std::int64_t> stored;
  for (const auto& [cell, record] : runs) {
    stored.insert(cell.seed);
  }
  const bool is_kept = std::ranges::all_of(stored, [&](std::int64_t seed) {
    return std::ranges::find(config.seeds, seed) != config.seeds.end();
  });
  if (!is_kept) {
    found.Add("seeds", TextOf(stored), TextOf(config.seeds) + " (more may join, none may go)");
  }
}

// Takes `key` out of `object`; null if there is none.
Json Take(Json& object, const std::string& key) {
  Json value = object.value(key, Json());
  object.erase(key);
  return value;
}

// The agent of `record`; `others`, which stands for all that are left out, if it is none of the
// experiment.
const AgentConfig& AgentOf(const RunRecord& record,
                           const ExperimentConfig& config,
                           const AgentConfig& others) {
  const auto agent = std::ranges::find(config.agents, record.cell.agent, &AgentConfig::label);
  return agent == config.agents.end() ? others : *agent;
}

// An agent that is left out may have had a budget of its own, which no experiment states any more.
void CompareSettings(const RunRecord& record,
                     const AgentConfig& agent,
                     const std::string& settings,
                     Differences& found) {
  if (record.settings == settings) {
    return;
  }
  Json stored = ParseStored(record.settings);
  Json asked = ParseStored(settings);
  if (!stored.is_object()) {
    found.AddJson("", stored, asked);
    return;
  }
  const Json stored_budget = Take(stored, "budget");
  const Json asked_budget = Take(asked, "budget");
  const Json stored_training = Take(stored, "training");
  const Json asked_training = Take(asked, "training");
  const Json stored_plugin = Take(stored, "plugin");
  const Json asked_plugin = Take(asked, "plugin");
  const bool was_own = !Take(stored, "budget_of").is_null();
  const bool is_own = !Take(asked, "budget_of").is_null();
  found.AddJson("", stored, asked);
  if (agent.label == record.cell.agent) {
    found.AddJson("agent " + record.cell.agent + ": training", stored_training, asked_training);
    found.AddJson("agent " + record.cell.agent + ": plugin", stored_plugin, asked_plugin);
  }
  if (agent.label == record.cell.agent || !was_own) {
    found.AddJson(was_own || is_own ? "agent " + record.cell.agent + ": budget" : "budget",
                  stored_budget,
                  asked_budget);
  }
}

void CompareAgent(const RunRecord& record, const AgentConfig& agent, Differences& found) {
  if (agent.label != record.cell.agent) {
    return;
  }
  const std::string key = "agent " + agent.label;
  const std::string params = ParamsJson(agent.params);
  if (record.agent_name != agent.name) {
    found.AddJson(key + ": name", Json(record.agent_name), Json(agent.name));
  } else if (record.params != params) {
    found.AddJson(key + ": params", ParseStored(record.params), ParseStored(params));
  }
}

void CompareInputs(const RunRecord& record,
                   const std::vector<PreparedProblem>& problems,
                   Differences& found) {
  const auto compare =
      [&](const std::string& key, const std::string& stored, const std::string& now) {
        if (stored != now) {
          found.Add(key, "SHA-256 " + stored.substr(0, 12), "SHA-256 " + now.substr(0, 12));
        }
      };
  const auto graph = std::ranges::find(problems, record.cell.graph, &PreparedProblem::graph);
  if (graph != problems.end()) {
    compare("graph " + graph->graph + " has changed", record.graph_sha256, graph->graph_sha256);
  }
  const auto machine =
      std::ranges::find(problems, record.cell.hardware, &PreparedProblem::hardware);
  if (machine != problems.end()) {
    compare("machine " + machine->hardware + " has changed",
            record.hardware_sha256,
            machine->hardware_sha256);
  }
}

// Null for the whole.
Json ShardJson(const std::string& text) {
  return text.empty() ? Json() : Json(text);
}

}  // namespace

void CheckMayResume(ResultStore& store,
                    const StoredRuns& runs,
                    const PreparedExperiment& experiment,
                    const Shard& shard) {
  const ExperimentConfig& config = experiment.config;
  Differences found("the results were made with", "the experiment says");
  found.AddJson("name", Json(store.Info().experiment), Json(config.name));
  if (!runs.empty()) {
    found.AddJson("--shard", ShardJson(store.Info().shard), ShardJson(TextOf(shard)));
  }
  const AgentConfig others;
  CompareSeeds(runs, config, found);
  // Made once for each agent, with and without rewards.
  std::map<std::pair<std::string, Rewards>, std::string> settings;
  for (const auto& [cell, record] : runs) {
    const AgentConfig& agent = AgentOf(record, config, others);
    const Rewards rewards = record.reference.has_value() ? Rewards::kGiven : Rewards::kNone;
    const auto [asked, is_new] = settings.try_emplace({agent.label, rewards});
    if (is_new) {
      asked->second = SettingsJson(config, agent, rewards);
    }
    CompareSettings(record, agent, asked->second, found);
    CompareAgent(record, agent, found);
    CompareInputs(record, experiment.problems, found);
  }
  found.ThrowIfAny(store.place(),
                   "these results were made under other conditions; give this experiment another "
                   "folder with --out");
}

}  // namespace opyard::experiments
