#include "sim/graph/modules.h"

#include <algorithm>
#include <utility>

#include "sim/graph/forward_order.h"
#include "sim/graph/group_numbers.h"
#include "sim/graph/module_paths.h"

namespace opyard::sim {
namespace {

// The places of modules and of all modules inside them; a module without ops inside has none.
std::vector<ForwardPlace> PlacesOfModules(const OpGraph& graph, const ModulePaths& paths) {
  const std::vector<ForwardPlace> of_ops = ForwardPlacesOf(graph);
  std::vector<ForwardPlace> places(paths.nodes.size());
  for (std::size_t op = 0; op < of_ops.size(); ++op) {
    ForwardPlace& place = places[static_cast<std::size_t>(paths.of_op[op])];
    place = std::min(place, of_ops[op]);
  }
  for (std::size_t node = places.size(); node-- > 1;) {  // children stand behind their parents
    ForwardPlace& around = places[static_cast<std::size_t>(paths.nodes[node].parent)];
    around = std::min(around, places[node]);
  }
  return places;
}

// The children of each node in the network's order.
std::vector<std::vector<std::int32_t>> ChildrenOf(const OpGraph& graph, const ModulePaths& paths) {
  const std::vector<ForwardPlace> places = PlacesOfModules(graph, paths);
  std::vector<std::vector<std::int32_t>> children(paths.nodes.size());
  for (std::size_t node = 1; node < paths.nodes.size(); ++node) {
    children[static_cast<std::size_t>(paths.nodes[node].parent)].push_back(
        static_cast<std::int32_t>(node));
  }
  for (std::vector<std::int32_t>& siblings : children) {
    std::ranges::stable_sort(siblings, {}, [&places](std::int32_t node) {
      return places[static_cast<std::size_t>(node)].index;
    });
  }
  return children;
}

}  // namespace

ModuleTree ModuleTreeOf(const OpGraph& graph) {
  const ModulePaths paths = ModulePathsOf(graph);
  const std::vector<std::vector<std::int32_t>> children = ChildrenOf(graph, paths);
  ModuleTree tree;
  std::vector<std::int32_t> number_of(paths.nodes.size());
  std::vector<std::int32_t> open = {0};  // the next one last
  while (!open.empty()) {
    const auto node = static_cast<std::size_t>(open.back());
    open.pop_back();
    const auto number = static_cast<std::int32_t>(tree.modules.size());
    number_of[node] = number;
    Module module{.path = paths.nodes[node].path};
    if (number > 0) {
      module.parent = number_of[static_cast<std::size_t>(paths.nodes[node].parent)];
      tree.modules[static_cast<std::size_t>(module.parent)].children.push_back(number);
    }
    tree.modules.push_back(std::move(module));
    open.insert(open.end(), children[node].rbegin(), children[node].rend());
  }
  for (const std::int32_t node : paths.of_op) {
    tree.module_of.push_back(number_of[static_cast<std::size_t>(node)]);
  }
  return tree;
}

std::int32_t DepthOf(const ModuleTree& tree, std::int32_t module) {
  std::int32_t depth = 0;
  while (tree.modules[static_cast<std::size_t>(module)].parent >= 0) {
    module = tree.modules[static_cast<std::size_t>(module)].parent;
    ++depth;
  }
  return depth;
}

std::int32_t AncestorAt(const ModuleTree& tree, std::int32_t module, std::int32_t depth) {
  for (std::int32_t above = DepthOf(tree, module) - depth; above > 0; --above) {
    module = tree.modules[static_cast<std::size_t>(module)].parent;
  }
  return module;
}

Grouping ModuleGroups(const OpGraph& graph,
                      const ModuleTree& tree,
                      std::optional<std::int32_t> depth) {
  std::vector<std::int32_t> unit_of_module(tree.modules.size());
  for (std::size_t i = 0; i < unit_of_module.size(); ++i) {
    const auto module = static_cast<std::int32_t>(i);
    unit_of_module[i] = depth.has_value() ? AncestorAt(tree, module, *depth) : module;
  }
  std::vector<std::int32_t> unit_of_label(graph.colocation_labels().size(), -1);
  std::vector<std::int32_t> unit_of(graph.num_ops());
  for (const OpId op : graph.topological_order()) {
    std::int32_t& unit = unit_of[op.index()];
    unit = unit_of_module[static_cast<std::size_t>(tree.module_of[op.index()])];
    if (const auto& label = graph.op(op).colocation) {
      std::int32_t& first = unit_of_label[static_cast<std::size_t>(*label)];
      first = first < 0 ? unit : first;
      unit = first;
    }
  }
  return NumberedByFirstOp(graph, unit_of, tree.modules.size());
}

}  // namespace opyard::sim
