#include <limits>
#include <set>

#include "env/problem_words.h"
#include "experiments/config/config_reader.h"
#include "sim/base/check.h"

namespace opyard::experiments {
namespace {

using sim::YamlMap;
using sim::YamlNode;

constexpr std::int64_t kLargestCount = std::int64_t{1} << 40;

}  // namespace

void ExperimentLayer::Read(YamlMap& map) {
  if (const YamlNode* version = map.Optional("schema_version")) {
    static_cast<void>(reader_.Int(*version, 1, 1));
  }
  if (const YamlNode* name = map.Optional("name")) {
    draft_.config.name = reader_.Name(*name).value_or("");
  }
  ReadInputs(map);
  ReadSettings(map, "");
  if (const YamlNode* budget = map.Optional("budget")) {
    ReadBudget(*budget, draft_.config.budget);
  }
  if (const YamlNode* agents = map.Optional("agents")) {
    ReadAgents(*agents);
  }
  if (const YamlNode* seeds = map.Optional("seeds")) {
    ReadSeeds(*seeds);
  }
  if (const YamlNode* split = map.Optional("split")) {
    ReadSplit(*split);
  }
  if (const YamlNode* training = map.Optional("training")) {
    ReadTraining(*training);
  }
  if (const YamlNode* tuning = map.Optional("tuning")) {
    ReadTuning(*tuning);
  }
  if (const YamlNode* optima = map.Optional("optima")) {
    draft_.config.optima = reader_.Text(*optima).value_or("");
    draft_.config.optima_place = PlaceOf(*optima);
  }
}

void ExperimentLayer::ReadSettings(YamlMap& map, const std::string& prefix) {
  std::set<std::string> maps;
  for (const env::DoorField& at : env::FieldsAt(env::Door::kExperiment)) {
    if (!at.name.starts_with(prefix)) {
      continue;
    }
    const std::string keys(at.name.substr(prefix.size()));
    const std::string key = keys.substr(0, keys.find('.'));
    const YamlNode* node = map.Optional(key);
    if (node != nullptr && key == keys) {
      draft_.setting_places[std::string(at.field)] = PlaceOf(*node);
      ReadSetting(*node, env::FieldOf(at.field), draft_.config.problem);
    } else if (node != nullptr && maps.insert(key).second) {
      YamlMap inner(reader_, *node, key);
      ReadSettings(inner, prefix + key + ".");
      inner.Finish();
    }
  }
}

void ExperimentLayer::ReadSetting(const YamlNode& node,
                                  const env::ProblemField& field,
                                  env::ProblemSettings& settings) {
  const bool is_list = field.form == env::SettingForm::kNames;
  const std::string place = PlaceOf(node) + (is_list ? ": " + std::string(field.name) : "");
  if (const std::optional<env::SettingValue> value = SettingOf(node, field)) {
    field.read(*value, place, settings, diagnostics_);
  }
}

std::optional<env::SettingValue> ExperimentLayer::SettingOf(const YamlNode& node,
                                                            const env::ProblemField& field) {
  if (node.kind == YamlNode::Kind::kNull && !field.nothing.empty()) {
    return env::SettingValue();  // whatever a layer before said
  }
  switch (field.form) {
    case env::SettingForm::kWord:
      return WordOf(node, field.words());
    case env::SettingForm::kText:
      return reader_.Text(node);
    case env::SettingForm::kNames:
      return NamesOf(node, field);
    case env::SettingForm::kCount:
      return reader_.Int(node, field.low, field.high);
    case env::SettingForm::kObjective:
      return ObjectiveOf(node, field);
    case env::SettingForm::kUnit:  // whose words may have a depth
      return reader_.Text(node);
    case env::SettingForm::kFlag:
      return reader_.Bool(node);
    case env::SettingForm::kUnits:
      break;
  }
  OPYARD_CHECK(false, "experiments have no setting of this form");
  return std::nullopt;
}

std::optional<env::SettingValue> ExperimentLayer::NamesOf(const YamlNode& node,
                                                          const env::ProblemField& field) {
  const std::vector<YamlNode>* items = reader_.Items(node, std::string(field.name));
  if (items == nullptr) {
    return std::nullopt;
  }
  std::vector<std::string> names;
  for (const YamlNode& item : *items) {
    const std::optional<std::string> name =
        field.words == nullptr ? reader_.Name(item) : WordOf(item, field.words());
    if (name.has_value()) {
      names.push_back(*name);
    }
  }
  return names.size() == items->size() ? std::optional<env::SettingValue>(names) : std::nullopt;
}

std::optional<env::SettingValue> ExperimentLayer::ObjectiveOf(const YamlNode& node,
                                                              const env::ProblemField& field) {
  if (node.kind != YamlNode::Kind::kMap) {
    return WordOf(node, field.words());
  }
  YamlMap map(reader_, node, std::string(field.name));
  const YamlNode* weighted = map.Required(NameOf(env::ObjectiveKind::kWeighted));
  std::optional<env::SettingValue> weights;
  if (weighted != nullptr) {
    weights = WeightsOf(*weighted);
  }
  map.Finish();
  return weights;
}

std::optional<env::SettingValue> ExperimentLayer::WeightsOf(const YamlNode& node) {
  const YamlMap map(reader_, node, NameOf(env::ObjectiveKind::kWeighted));
  if (!map.is_map()) {
    return std::nullopt;
  }
  env::WrittenWeights written{.weights = {}, .place = PlaceOf(node)};
  for (const YamlNode::Entry& entry : node.entries) {
    const std::optional<OptionValue> value = ParamValue(entry.value);
    if (!value.has_value()) {
      return std::nullopt;
    }
    written.weights.push_back(
        {.name = entry.key, .value = *value, .place = reader_.Place(entry.line, entry.column)});
  }
  return written;
}

void ExperimentLayer::ReadBudget(const YamlNode& node, env::Budget& budget) {
  // null lifts a limit that another layer has set.
  YamlMap map(reader_, node, "budget");
  if (const YamlNode* evaluations = map.Optional("evaluations")) {
    budget.evaluations = evaluations->kind == YamlNode::Kind::kNull
                             ? std::nullopt
                             : reader_.Int(*evaluations, 1, kLargestCount);
  }
  if (const YamlNode* seconds = map.Optional("seconds")) {
    constexpr double kShortest = 0.001;
    budget.seconds = seconds->kind == YamlNode::Kind::kNull
                         ? std::nullopt
                         : reader_.Double(*seconds, kShortest, kLargestSeconds);
  }
  map.Finish();
}

void ExperimentLayer::ReadSeeds(const YamlNode& node) {
  const std::vector<YamlNode>* items = Entries(node, "seeds");
  if (items == nullptr) {
    return;
  }
  draft_.config.seeds.clear();
  std::set<std::int64_t> seen;
  for (const YamlNode& item : *items) {
    const auto seed = reader_.Int(item, 0, std::numeric_limits<std::int64_t>::max());
    if (seed.has_value() && !seen.insert(*seed).second) {
      reader_.Problem(item, "seeds: found " + std::to_string(*seed) + " twice, expected it once");
    } else if (seed.has_value()) {
      draft_.config.seeds.push_back(*seed);
    }
  }
}

std::optional<std::string> ExperimentLayer::WordOf(const YamlNode& node,
                                                   const std::vector<std::string>& known) {
  if (node.kind == YamlNode::Kind::kScalar) {
    return node.text;
  }
  return reader_.Choice(node, known);  // a list, a map or nothing, which it refuses
}

}  // namespace opyard::experiments
