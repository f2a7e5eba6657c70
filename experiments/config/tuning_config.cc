#include "experiments/config/tuning_config.h"

#include <nlohmann/json.hpp>

#include "experiments/config/config_reader.h"
#include "sim/base/quote.h"

namespace opyard::experiments {
namespace {

using sim::YamlMap;
using sim::YamlNode;

constexpr std::int64_t kMostTrials = 100'000;
constexpr double kLargestParam = 1e12;

}  // namespace

std::string TuningSpaceJson(const TuningConfig& tuning) {
  nlohmann::ordered_json space = nlohmann::ordered_json::object();
  for (const TunedParam& param : tuning.space) {
    space[param.name] = {
        {"low", param.low}, {"high", param.high}, {"scale", param.is_log ? "log" : "linear"}};
  }
  return space.dump();
}

void ExperimentLayer::ReadTuning(const YamlNode& node) {
  TuningConfig& tuning = draft_.config.tuning;
  YamlMap map(reader_, node, "tuning");
  if (const YamlNode* trials = map.Optional("trials")) {
    tuning.trials = reader_.Int(*trials, 2, kMostTrials).value_or(tuning.trials);
  }
  if (const YamlNode* shrink = map.Optional("shrink")) {
    tuning.shrink = reader_.Int(*shrink, 2, kMostTrials).value_or(tuning.shrink);
  }
  if (const YamlNode* problems = map.Optional("first_problems")) {
    tuning.first_problems = reader_.Int(*problems, 1, kMostTrials).value_or(tuning.first_problems);
  }
  if (const YamlNode* space = map.Optional("space")) {
    ReadTuningSpace(*space);
  }
  map.Finish();
}

void ExperimentLayer::ReadTuningSpace(const YamlNode& node) {
  const YamlMap map(reader_, node, "space");
  if (!map.is_map()) {
    return;
  }
  std::vector<TunedParam>& space = draft_.config.tuning.space;
  space.clear();
  for (const YamlNode::Entry& entry : node.entries) {
    TunedParam param = ReadTunedParam(entry.value);
    param.name = entry.key;
    param.place = reader_.Place(entry.line, entry.column);
    space.push_back(std::move(param));
  }
}

TunedParam ExperimentLayer::ReadTunedParam(const YamlNode& node) {
  TunedParam param;
  YamlMap map(reader_, node, "a parameter of space");
  if (const YamlNode* scale = map.Optional("scale")) {
    param.is_log = reader_.Choice(*scale, {"linear", "log"}) == "log";
  }
  const double least = param.is_log ? 1e-12 : -kLargestParam;
  if (const YamlNode* low = map.Required("low")) {
    param.low = reader_.Double(*low, least, kLargestParam).value_or(least);
  }
  if (const YamlNode* high = map.Required("high")) {
    param.high = reader_.Double(*high, param.low, kLargestParam).value_or(param.low);
  }
  map.Finish();
  return param;
}

}  // namespace opyard::experiments
