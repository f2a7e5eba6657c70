#include "sim/graph/module_paths.h"

#include <algorithm>
#include <optional>
#include <ranges>
#include <unordered_map>

#include "sim/graph/name_scopes.h"

namespace opyard::sim {
namespace {

constexpr std::int32_t kNoModule = -1;
constexpr std::int32_t kNetwork = 0;

// Adds paths, and those around them, to a list of nodes.
class PathTable {
 public:
  PathTable() : nodes_{PathNode{}}, index_{{"", kNetwork}} {}

  std::int32_t Add(const std::string& path) {
    const std::int32_t node = IndexOf(path);
    nodes_[static_cast<std::size_t>(node)].is_named = true;
    return node;
  }

  [[nodiscard]] std::vector<PathNode> Take() { return std::move(nodes_); }

 private:
  // Depth of recursion: kMostModuleDepth at most.
  std::int32_t IndexOf(const std::string& path) {
    if (const auto found = index_.find(path); found != index_.end()) {
      return found->second;
    }
    const std::size_t dot = path.rfind('.');
    const std::int32_t parent = dot == std::string::npos ? kNetwork : IndexOf(path.substr(0, dot));
    const auto node = static_cast<std::int32_t>(nodes_.size());
    nodes_.push_back({.path = path,
                      .parent = parent,
                      .depth = nodes_[static_cast<std::size_t>(parent)].depth + 1});
    index_.emplace(path, node);
    return node;
  }

  std::vector<PathNode> nodes_;
  std::unordered_map<std::string, std::int32_t> index_;
};

ModulePaths SaidPaths(const OpGraph& graph) {
  PathTable table;
  std::vector<std::int32_t> node_of_path;
  for (const std::string& path : graph.module_paths()) {
    node_of_path.push_back(table.Add(path));
  }
  ModulePaths paths;
  for (const Op& op : graph.ops()) {
    paths.of_op.push_back(op.module.has_value() ? node_of_path[static_cast<std::size_t>(*op.module)]
                                                : kNoModule);
  }
  paths.nodes = table.Take();
  return paths;
}

ModulePaths PathsOfNames(const OpGraph& graph) {
  std::vector<NamedOp> ops;
  for (const Op& op : graph.ops()) {
    ops.push_back({.name = op.name, .phase = op.phase});
  }
  PathTable table;
  ModulePaths paths;
  for (const std::optional<std::string>& path : ModulesOfNames(ops)) {
    paths.of_op.push_back(path.has_value() ? table.Add(*path) : kNoModule);
  }
  paths.nodes = table.Take();
  return paths;
}

// Gives ops without a path one (the rules of ModuleTreeOf).
class PathCompletion {
 public:
  PathCompletion(const OpGraph& graph, ModulePaths& paths) : graph_(graph), paths_(paths) {}

  void Run() {
    FromLabels();
    FromProducers();
    for (const OpId op : graph_.topological_order() | std::views::reverse) {
      Complete(op, FromReaders(op));
    }
    FromProducers();
    std::ranges::replace(paths_.of_op, kNoModule, kNetwork);
  }

 private:
  [[nodiscard]] std::int32_t Of(OpId op) const { return paths_.of_op[op.index()]; }
  [[nodiscard]] const PathNode& Node(std::int32_t node) const {
    return paths_.nodes[static_cast<std::size_t>(node)];
  }

  void Complete(OpId op, std::int32_t node) {
    std::int32_t& own = paths_.of_op[op.index()];
    own = own == kNoModule ? node : own;
  }

  void FromLabels() {
    std::vector<std::int32_t> of_label(graph_.colocation_labels().size(), kNoModule);
    const auto label_of = [this](OpId op) { return graph_.op(op).colocation; };
    for (const OpId op : graph_.topological_order()) {
      if (label_of(op).has_value()) {
        std::int32_t& node = of_label[static_cast<std::size_t>(*label_of(op))];
        node = node == kNoModule ? Of(op) : node;
      }
    }
    for (const OpId op : graph_.topological_order()) {
      if (label_of(op).has_value()) {
        Complete(op, of_label[static_cast<std::size_t>(*label_of(op))]);
      }
    }
  }

  void FromProducers() {
    for (const OpId op : graph_.topological_order()) {
      Complete(op, ProducersOf(op));
    }
  }

  [[nodiscard]] std::int32_t ProducersOf(OpId op) const {
    std::int32_t first = kNoModule;
    std::int32_t around = kNoModule;
    for (const TensorId input : graph_.inputs(op)) {
      const std::int32_t node = Of(graph_.tensor(input).producer);
      if (node != kNoModule) {
        first = first == kNoModule ? node : first;
        around = around == kNoModule ? node : Around(around, node);
      }
    }
    const bool is_whole = around == kNetwork && graph_.op(op).phase == Phase::kUpdate;
    return around != kNoModule && (Node(around).is_named || is_whole) ? around : first;
  }

  // The deepest module around both.
  [[nodiscard]] std::int32_t Around(std::int32_t a, std::int32_t b) const {
    while (a != b) {
      std::int32_t& deeper = Node(a).depth >= Node(b).depth ? a : b;
      deeper = Node(deeper).parent;
    }
    return a;
  }

  [[nodiscard]] std::int32_t FromReaders(OpId op) const {
    const bool is_forward_read = Readers(op, true).first != kNoModule;
    const auto [first, is_one] = Readers(op, is_forward_read);
    const bool is_input = graph_.inputs(op).empty() && graph_.op(op).param_bytes == Bytes{};
    return first == kNoModule || is_one || !is_input ? first : kNetwork;
  }

  // The module of the first reader that has one, and whether it is that of all such readers;
  // of forward readers alone, or of all.
  [[nodiscard]] std::pair<std::int32_t, bool> Readers(OpId op, bool are_forward) const {
    OpId first;
    bool is_one = true;
    std::int32_t node = kNoModule;
    for (std::size_t output = 0; output < graph_.num_outputs(op); ++output) {
      for (const OpId reader : graph_.consumers(graph_.output(op, output))) {
        const bool counts = !are_forward || graph_.op(reader).phase == Phase::kForward;
        if (!counts || Of(reader) == kNoModule) {
          continue;
        }
        is_one = is_one && (node == kNoModule || node == Of(reader));
        if (node == kNoModule ||
            graph_.topological_index(reader) < graph_.topological_index(first)) {
          first = reader;
          node = Of(reader);
        }
      }
    }
    return {node, is_one};
  }

  const OpGraph& graph_;
  ModulePaths& paths_;
};

}  // namespace

ModulePaths ModulePathsOf(const OpGraph& graph) {
  ModulePaths paths = graph.module_paths().empty() ? PathsOfNames(graph) : SaidPaths(graph);
  PathCompletion(graph, paths).Run();
  return paths;
}

}  // namespace opyard::sim
