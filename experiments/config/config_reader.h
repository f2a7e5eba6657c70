// The steps by which ReadExperiment turns files and overrides into a config.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "env/problem_fields.h"
#include "experiments/config/config.h"
#include "sim/base/error.h"
#include "sim/io/yaml/yaml.h"

namespace opyard::experiments {

// Where the parameters of an agent stand, by name.
using ParamPlaces = std::map<std::string, std::string>;

// The most graphs, machines, pairs and seeds.
inline constexpr std::size_t kMostEntries = 10'000;

// The settings read so far, with their places: later layers (the including file, overrides) replace
// what earlier ones gave.
struct ExperimentDraft {
  ExperimentConfig config;
  // The places of the problem's given settings, by their names in env/problem_fields.h.
  std::map<std::string, std::string> setting_places;
  std::vector<ParamPlaces> param_places;  // of config.agents, the same length
};

// Adds a problem for each agent that `registry` does not know, and for each parameter that it
// refuses, where that stands. Only those of the last layer that lists agents: what was replaced may
// need what this opyard lacks.
void CheckAgents(const ExperimentDraft& draft,
                 const agents::AgentRegistry& registry,
                 Diagnostics& diagnostics);

// Reads one layer: a map with any of the keys of an experiment except include, into `draft`.
// `is_main` asks for the keys that every experiment has to have.
class ExperimentLayer {
 public:
  ExperimentLayer(sim::YamlReader& reader, Diagnostics& diagnostics, ExperimentDraft& draft)
      : reader_(reader), diagnostics_(diagnostics), draft_(draft) {}

  void Read(sim::YamlMap& map);

 private:
  // Graphs and machines, or pairs of them: what this layer gives of either replaces what earlier
  // ones gave of the other.
  void ReadInputs(sim::YamlMap& map);
  void ReadReferences(const sim::YamlNode& node,
                      const std::string& key,
                      std::vector<std::string>& into,
                      std::vector<std::string>& places);
  void ReadPairs(const sim::YamlNode& node);
  // The items of a list of 1 to kMostEntries; more or fewer are a problem, but are read.
  [[nodiscard]] const std::vector<sim::YamlNode>* Entries(const sim::YamlNode& node,
                                                          const std::string& key);
  // The settings of the problem whose keys begin with `prefix`, "" or "problem.": those of `map`
  // and of the maps in it.
  void ReadSettings(sim::YamlMap& map, const std::string& prefix);
  // One of them; `settings` keep what they have where there is a problem.
  void ReadSetting(const sim::YamlNode& node,
                   const env::ProblemField& field,
                   env::ProblemSettings& settings);
  // The value in the form that the field asks for; nothing, and a problem, for another.
  [[nodiscard]] std::optional<env::SettingValue> SettingOf(const sim::YamlNode& node,
                                                           const env::ProblemField& field);
  [[nodiscard]] std::optional<env::SettingValue> NamesOf(const sim::YamlNode& node,
                                                         const env::ProblemField& field);
  [[nodiscard]] std::optional<env::SettingValue> ObjectiveOf(const sim::YamlNode& node,
                                                             const env::ProblemField& field);
  [[nodiscard]] std::optional<env::SettingValue> WeightsOf(const sim::YamlNode& node);
  void ReadBudget(const sim::YamlNode& node, env::Budget& budget);
  void ReadSeeds(const sim::YamlNode& node);
  void ReadSplit(const sim::YamlNode& node);
  void ReadTrainingGraphs(const sim::YamlNode& node);
  [[nodiscard]] std::optional<TrainingGraphFamily> ReadTrainingEntry(const sim::YamlNode& node);
  void ReadTraining(const sim::YamlNode& node);
  void ReadTrainingTasks(const sim::YamlNode& node);
  void ReadTeacher(const sim::YamlNode& node);
  void ReadTuning(const sim::YamlNode& node);
  void ReadTuningSpace(const sim::YamlNode& node);
  [[nodiscard]] TunedParam ReadTunedParam(const sim::YamlNode& node);

  // A word of a problem (env/problem_words.h), where the words are `known`: any text, which is read
  // further there, or nothing, and a problem, for a list, a map or nothing.
  [[nodiscard]] std::optional<std::string> WordOf(const sim::YamlNode& node,
                                                  const std::vector<std::string>& known);

  void ReadAgents(const sim::YamlNode& node);
  void ReadAgent(const sim::YamlNode& node);
  // The budget of one agent, which has a limit at least.
  [[nodiscard]] env::Budget ReadOwnBudget(const sim::YamlNode& node);
  // The parameters of each combination of `grid`, on top of `params`, with the label of each.
  [[nodiscard]] std::vector<AgentConfig> Combine(AgentConfig base, const sim::YamlNode* grid);
  void ReadParams(const sim::YamlNode& node, Options& params, ParamPlaces& places);
  void AddPlaces(const sim::YamlNode& node, ParamPlaces& places) const;
  [[nodiscard]] std::optional<OptionValue> ParamValue(const sim::YamlNode& node);
  void AddAgent(AgentConfig agent, const sim::YamlNode& node, ParamPlaces places);

  [[nodiscard]] std::string PlaceOf(const sim::YamlNode& node) const {
    return reader_.Place(node.line, node.column);
  }

  sim::YamlReader& reader_;
  Diagnostics& diagnostics_;
  ExperimentDraft& draft_;
};

}  // namespace opyard::experiments
