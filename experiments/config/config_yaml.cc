// ReadExperiment: the main file, its includes, the overrides, and what must hold for all together.
#include <algorithm>
#include <set>
#include <system_error>
#include <utility>

#include "experiments/config/config.h"
#include "experiments/config/config_reader.h"
#include "experiments/config/input_pattern.h"
#include "sim/base/input_file.h"
#include "sim/base/quote.h"

namespace opyard::experiments {
namespace {

namespace fs = std::filesystem;
using sim::YamlMap;
using sim::YamlNode;
using sim::YamlReader;

constexpr std::size_t kDeepestInclude = 8;
constexpr std::size_t kMostFiles = 64;
constexpr std::size_t kMostCells = 1'000'000;

// Results hold no absolute paths: one becomes relative to the experiment's folder, from where
// relative references are tried, too.
std::string Portable(const std::string& reference, const fs::path& folder) {
  const fs::path path = reference;
  if (!path.is_absolute()) {
    return reference;
  }
  const fs::path relative =
      path.lexically_normal().lexically_relative(fs::absolute(folder).lexically_normal());
  // A bare file name keeps its slash, so that it stays a path and never means a shipped name.
  return relative.has_parent_path() ? relative.generic_string() : "./" + relative.generic_string();
}

// The folder of the experiment `path`. An experiment from a pipe lies in none: its references start
// from the current folder.
fs::path FolderOf(const fs::path& path) {
  std::error_code ignored;
  const bool is_in_folder = path.has_parent_path() && fs::is_regular_file(path, ignored);
  return is_in_folder ? path.parent_path() : fs::path(".");
}

class ExperimentReader {
 public:
  ExperimentReader(const agents::AgentRegistry& registry, Diagnostics& diagnostics)
      : registry_(registry), diagnostics_(diagnostics) {}

  void ReadFile(const fs::path& path);
  void ReadOverride(const std::string& text);
  [[nodiscard]] ExperimentConfig Finish(const fs::path& path);

 private:
  void ReadIncludes(YamlReader& reader, const YamlNode& node, const fs::path& folder);
  void ReadInclude(YamlReader& reader, const YamlNode& item, const fs::path& folder);
  void RequireMainKeys(YamlMap& map);
  void CheckLabels();
  void CheckBaseline();
  void CheckSize(const std::string& place);
  void MarkAgents();

  const agents::AgentRegistry& registry_;
  Diagnostics& diagnostics_;
  ExperimentDraft draft_;
  std::vector<fs::path> open_files_;  // canonical; the chain of includes being read
  std::size_t files_read_ = 0;
};

void ExperimentReader::ReadFile(const fs::path& path) {
  ++files_read_;
  const std::optional<YamlNode> root = sim::ReadYamlFile(
      path, diagnostics_, open_files_.empty() ? sim::YamlFile::kExperiment : sim::YamlFile::kAny);
  if (!root.has_value()) {
    return;
  }
  std::error_code ignored;
  open_files_.push_back(fs::weakly_canonical(path, ignored));
  YamlReader reader(InputName(path), diagnostics_);
  YamlMap map(reader, *root, "experiment");
  if (const YamlNode* include = map.Optional("include")) {
    ReadIncludes(reader, *include, FolderOf(path));
  }
  if (open_files_.size() == 1) {
    RequireMainKeys(map);
  }
  ExperimentLayer(reader, diagnostics_, draft_).Read(map);
  map.Finish();
  open_files_.pop_back();
}

void ExperimentReader::RequireMainKeys(YamlMap& map) {
  static_cast<void>(map.Required("schema_version"));
  static_cast<void>(map.Required("name"));
}

void ExperimentReader::ReadIncludes(YamlReader& reader,
                                    const YamlNode& node,
                                    const fs::path& folder) {
  if (const std::vector<YamlNode>* items = reader.Items(node, "include")) {
    for (const YamlNode& item : *items) {
      ReadInclude(reader, item, folder);
    }
  }
}

void ExperimentReader::ReadInclude(YamlReader& reader,
                                   const YamlNode& item,
                                   const fs::path& folder) {
  const std::optional<std::string> name = reader.Text(item);
  if (!name.has_value()) {
    return;
  }
  const fs::path path = folder / *name;
  std::error_code ignored;
  const fs::path canonical = fs::weakly_canonical(path, ignored);
  if (std::ranges::find(open_files_, canonical) != open_files_.end()) {
    reader.Problem(item, "include: found " + Quoted(*name) + ", which includes this file in turn");
  } else if (open_files_.size() >= kDeepestInclude || files_read_ >= kMostFiles) {
    reader.Problem(item,
                   "include: expected at most " + std::to_string(kDeepestInclude) + " levels and " +
                       std::to_string(kMostFiles) + " files");
  } else if (!fs::is_regular_file(path, ignored)) {
    reader.Problem(item, "include: found " + Quoted(*name) + ", expected a file beside this one");
  } else {
    ReadFile(path);
  }
}

// "a.b=value": the value is YAML, the keys before it are nested maps.
void ExperimentReader::ReadOverride(const std::string& text) {
  const std::string place = "--set " + text;
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0) {
    diagnostics_.AddError(place, "expected KEY=VALUE, e.g. budget.seconds=10");
    return;
  }
  std::optional<YamlNode> value = sim::ParseYaml(text.substr(equals + 1), place, diagnostics_);
  if (!value.has_value()) {
    return;
  }
  YamlNode node = std::move(*value);
  std::string keys = text.substr(0, equals);
  while (!keys.empty()) {
    const std::size_t dot = keys.rfind('.');
    YamlNode parent;
    parent.kind = YamlNode::Kind::kMap;
    parent.entries.push_back(
        {.key = dot == std::string::npos ? keys : keys.substr(dot + 1), .value = std::move(node)});
    node = std::move(parent);
    keys = dot == std::string::npos ? "" : keys.substr(0, dot);
  }
  YamlReader reader(place, diagnostics_);
  YamlMap map(reader, node, "experiment");
  ExperimentLayer(reader, diagnostics_, draft_).Read(map);
  map.Finish();
}

// The graphs or the machines of an experiment, for ExpandPatterns.
struct PatternList {
  const char* key = nullptr;
  std::vector<std::string>& references;
  std::vector<std::string>& places;
  bool (*is_pattern)(const std::string& reference);
  std::vector<std::string> (*find)(const std::string& pattern, const fs::path& folder);
};

// Puts what patterns stand for in their place.
void ExpandPatterns(PatternList list, const fs::path& folder, Diagnostics& diagnostics) {
  const std::vector<std::string> references = std::exchange(list.references, {});
  const std::vector<std::string> places = std::exchange(list.places, {});
  const std::string key = std::string(list.key) + ": found ";
  std::set<std::string> seen;
  for (std::size_t i = 0; i < references.size(); ++i) {
    const std::vector<std::string> found = list.is_pattern(references[i])
                                               ? list.find(references[i], folder)
                                               : std::vector{references[i]};
    if (found.empty()) {
      diagnostics.AddError(
          places[i],
          key + "no file " + Quoted(references[i]) +
              ", from the current folder or the experiment's, and nothing that is shipped "
              "by such a name, expected at least one");
    }
    for (const std::string& reference : found) {
      if (!seen.insert(reference).second) {
        diagnostics.AddError(places[i], key + Quoted(reference) + " twice, expected it once");
      }
      list.references.push_back(reference);
      list.places.push_back(places[i]);
    }
  }
  if (list.references.size() > kMostEntries) {
    diagnostics.AddError(places.front(),
                         key + std::to_string(list.references.size()) +
                             " of them, expected at most " + std::to_string(kMostEntries));
  }
}

void ExperimentReader::CheckLabels() {
  std::set<std::string> seen;
  for (std::size_t i = 0; i < draft_.config.agents.size(); ++i) {
    const std::string& label = draft_.config.agents[i].label;
    if (!seen.insert(label).second) {
      diagnostics_.AddError(draft_.config.agent_places[i],
                            "found a second agent labelled " + Quoted(label) +
                                ", expected another label: {name: …, label: …}");
    }
  }
}

void ExperimentReader::CheckBaseline() {
  const auto place = draft_.setting_places.find("baseline");
  if (place == draft_.setting_places.end()) {
    return;
  }
  const std::string& baseline = draft_.config.problem.baseline;
  std::vector<std::string> known;
  for (const AgentConfig& agent : draft_.config.agents) {
    known.push_back(agent.label);
  }
  const std::vector<std::string> names = registry_.Names();
  known.insert(known.end(), names.begin(), names.end());
  std::ranges::sort(known);
  known.erase(std::unique(known.begin(), known.end()), known.end());
  if (!std::ranges::binary_search(known, baseline)) {
    diagnostics_.AddError(place->second,
                          "baseline: found " + Quoted(baseline) + DidYouMean(baseline, known) +
                              ", expected one of " + JoinNames(known));
  }
}

void ExperimentReader::CheckSize(const std::string& place) {
  const ExperimentConfig& config = draft_.config;
  const double diagnostics = config.pairs.empty() ? static_cast<double>(config.graphs.size()) *
                                                        static_cast<double>(config.hardware.size())
                                                  : static_cast<double>(config.pairs.size());
  const double cells = diagnostics * static_cast<double>(config.agents.size()) *
                       static_cast<double>(config.seeds.size());
  if (cells > static_cast<double>(kMostCells)) {
    diagnostics_.AddError(place,
                          "found a matrix of " + ToText(cells) + " runs, expected at most " +
                              std::to_string(kMostCells));
  }
}

void ExperimentReader::MarkAgents() {
  for (AgentConfig& agent : draft_.config.agents) {
    const auto entry = std::ranges::find(
        registry_.entries(), agent.name, [](const auto& each) { return each.info.name; });
    if (entry != registry_.entries().end()) {
      agent.plugin = entry->info.plugin;
      agent.is_trained = !draft_.config.training.graphs.empty() && entry->make_trainer != nullptr &&
                         !agent.params.values().contains("checkpoint");
    }
  }
}

ExperimentConfig ExperimentReader::Finish(const fs::path& path) {
  ExperimentConfig& config = draft_.config;
  const std::string place = InputName(path);
  config.folder = FolderOf(path);
  if (diagnostics_.empty() && config.pairs.empty()) {
    ExpandPatterns({.key = "graphs",
                    .references = config.graphs,
                    .places = config.graph_places,
                    .is_pattern = IsGraphPattern,
                    .find = GraphsOf},
                   config.folder,
                   diagnostics_);
    ExpandPatterns({.key = "hardware",
                    .references = config.hardware,
                    .places = config.hardware_places,
                    .is_pattern = IsMachinePattern,
                    .find = MachinesOf},
                   config.folder,
                   diagnostics_);
  }
  if (diagnostics_.empty()) {
    const auto require = [&](bool is_given, const char* key) {
      if (!is_given) {
        diagnostics_.AddError(place, std::string("the key ") + key + " is missing");
      }
    };
    require(!config.graphs.empty(), "graphs");
    require(!config.hardware.empty(), "hardware");
    require(!config.agents.empty(), "agents");
    require(!config.seeds.empty(), "seeds");
    CheckSize(place);
  }
  CheckAgents(draft_, registry_, diagnostics_);
  CheckLabels();
  CheckBaseline();
  MarkAgents();
  if (!config.budget.evaluations.has_value() && !config.budget.seconds.has_value()) {
    config.budget.evaluations = kDefaultEvaluations;
  }
  for (std::vector<std::string>* references : {&config.graphs, &config.hardware}) {
    for (std::string& reference : *references) {
      reference = Portable(reference, config.folder);
    }
  }
  for (PairConfig& pair : config.pairs) {
    pair.graph = Portable(pair.graph, config.folder);
    pair.hardware = Portable(pair.hardware, config.folder);
  }
  config.optima = Portable(config.optima, config.folder);
  return std::move(config);
}

}  // namespace

ExperimentConfig ReadExperiment(const fs::path& path,
                                const std::vector<std::string>& overrides,
                                const agents::AgentRegistry& registry) {
  Diagnostics diagnostics;
  ExperimentConfig config = ReadExperiment(path, overrides, registry, diagnostics);
  diagnostics.ThrowIfAny();
  return config;
}

ExperimentConfig ReadExperiment(const fs::path& path,
                                const std::vector<std::string>& overrides,
                                const agents::AgentRegistry& registry,
                                Diagnostics& diagnostics) {
  ExperimentReader reader(registry, diagnostics);
  reader.ReadFile(path);
  for (const std::string& override_text : overrides) {
    reader.ReadOverride(override_text);
  }
  return reader.Finish(path);
}

}  // namespace opyard::experiments
