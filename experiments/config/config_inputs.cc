// The graphs and machines of an experiment: two lists, or a list of pairs.
#include <set>
#include <utility>

#include "experiments/config/config_reader.h"
#include "sim/base/quote.h"

namespace opyard::experiments {
namespace {

using sim::YamlMap;
using sim::YamlNode;

// A list of references that holds each once, and where each stood first.
class ReferenceList {
 public:
  ReferenceList(std::vector<std::string>& references, std::vector<std::string>& places)
      : references_(references), places_(places) {
    references_.clear();
    places_.clear();
  }

  // False, and nothing done, if `reference` is there already.
  bool Add(const std::string& reference, const std::string& place) {
    if (!seen_.insert(reference).second) {
      return false;
    }
    references_.push_back(reference);
    places_.push_back(place);
    return true;
  }

 private:
  std::vector<std::string>& references_;
  std::vector<std::string>& places_;
  std::set<std::string> seen_;
};

}  // namespace

void ExperimentLayer::ReadInputs(YamlMap& map) {
  const YamlNode* graphs = map.Optional("graphs");
  const YamlNode* hardware = map.Optional("hardware");
  const YamlNode* pairs = map.Optional("pairs");
  const bool has_lists = graphs != nullptr || hardware != nullptr;
  ExperimentConfig& config = draft_.config;
  if (pairs != nullptr && has_lists) {
    reader_.Problem(*pairs,
                    std::string("pairs: found beside ") +
                        (graphs != nullptr ? "graphs" : "hardware") +
                        ", expected either pairs or the two lists graphs and hardware");
    return;
  }
  if (pairs != nullptr) {
    ReadPairs(*pairs);
  }
  if (has_lists && !config.pairs.empty()) {  // of an earlier layer, in whose place the lists stand
    config.pairs.clear();
    config.graphs.clear();
    config.hardware.clear();
  }
  if (graphs != nullptr) {
    ReadReferences(*graphs, "graphs", config.graphs, config.graph_places);
  }
  if (hardware != nullptr) {
    ReadReferences(*hardware, "hardware", config.hardware, config.hardware_places);
  }
}

const std::vector<YamlNode>* ExperimentLayer::Entries(const YamlNode& node,
                                                      const std::string& key) {
  const std::vector<YamlNode>* items = reader_.Items(node, key);
  if (items != nullptr && (items->empty() || items->size() > kMostEntries)) {
    reader_.Problem(node,
                    key + ": found " + std::to_string(items->size()) + " entries, expected 1 to " +
                        std::to_string(kMostEntries));
  }
  return items;
}

void ExperimentLayer::ReadReferences(const YamlNode& node,
                                     const std::string& key,
                                     std::vector<std::string>& into,
                                     std::vector<std::string>& places) {
  const std::vector<YamlNode>* items = Entries(node, key);
  if (items == nullptr) {
    return;
  }
  ReferenceList list(into, places);
  for (const YamlNode& item : *items) {
    const std::optional<std::string> reference = reader_.Text(item);
    if (reference.has_value() && !list.Add(*reference, PlaceOf(item))) {
      reader_.Problem(item, key + ": found " + Quoted(*reference) + " twice, expected it once");
    }
  }
}

void ExperimentLayer::ReadPairs(const YamlNode& node) {
  const std::vector<YamlNode>* items = Entries(node, "pairs");
  if (items == nullptr) {
    return;
  }
  ExperimentConfig& config = draft_.config;
  config.pairs.clear();
  ReferenceList graphs(config.graphs, config.graph_places);
  ReferenceList machines(config.hardware, config.hardware_places);
  std::set<std::pair<std::string, std::string>> seen;
  for (const YamlNode& item : *items) {
    YamlMap map(reader_, item, "pair");
    const YamlNode* graph_node = map.Required("graph");
    const YamlNode* machine_node = map.Required("hardware");
    map.Finish();
    const auto graph = graph_node == nullptr ? std::nullopt : reader_.Text(*graph_node);
    const auto machine = machine_node == nullptr ? std::nullopt : reader_.Text(*machine_node);
    if (!graph.has_value() || !machine.has_value()) {
      continue;
    }
    if (!seen.emplace(*graph, *machine).second) {
      reader_.Problem(item,
                      "pairs: found " + Quoted(*graph) + " on " + Quoted(*machine) +
                          " twice, expected it once");
      continue;
    }
    graphs.Add(*graph, PlaceOf(*graph_node));
    machines.Add(*machine, PlaceOf(*machine_node));
    config.pairs.push_back({.graph = *graph, .hardware = *machine, .place = PlaceOf(*graph_node)});
  }
}

}  // namespace opyard::experiments
