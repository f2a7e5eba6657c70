#include "graphs/importers/tensorflow/tf_phases.h"

#include <algorithm>
#include <ranges>

#include "sim/graph/name_scopes.h"

namespace opyard::graphs {
namespace {

bool IsInScopeOfGradients(const std::string& name) {
  return name.starts_with("gradient_tape/") || name.starts_with("gradients/") ||
         name.find("/gradients/") != std::string::npos ||
         name.find("/gradient_tape/") != std::string::npos;
}

template <class Visit>
void ForEachSource(const TfNode& node, const Visit& visit) {
  for (const TfInput& input : node.inputs) {
    visit(input.node);
  }
  for (const std::size_t source : node.controls) {
    visit(source);
  }
}

struct Marks {
  bool is_named = false;            // stands in a scope of gradients
  bool follows_gradients = false;   // a named node is before it
  bool leads_to_gradients = false;  // a named node is after it
  bool leads_to_update = false;     // some reader belongs to the update
  bool leads_elsewhere = false;     // some reader does not
};

}  // namespace

std::vector<sim::Phase> FindTfPhases(const TfGraph& graph, std::span<const std::int32_t> order) {
  std::vector<Marks> marks(graph.nodes.size());
  std::vector<sim::Phase> phases(graph.nodes.size(), sim::Phase::kUnknown);
  bool has_named = false;
  for (const std::int32_t i : order) {
    const auto node = static_cast<std::size_t>(i);
    marks[node].is_named = IsInScopeOfGradients(graph.nodes[node].name);
    has_named |= marks[node].is_named;
    ForEachSource(graph.nodes[node], [&](std::size_t source) {
      marks[node].follows_gradients |= marks[source].is_named || marks[source].follows_gradients;
    });
  }
  if (!has_named) {
    return phases;
  }
  // Readers before what they read: sums of gradients lead to further ones; what only the update
  // reads belongs to it.
  for (const std::int32_t i : order | std::views::reverse) {
    const auto node = static_cast<std::size_t>(i);
    const Marks& own = marks[node];
    const bool is_backward = own.is_named || (own.follows_gradients && own.leads_to_gradients);
    const bool is_update =
        !is_backward && (own.follows_gradients || (own.leads_to_update && !own.leads_elsewhere));
    phases[node] = is_backward ? sim::Phase::kBackward
                   : is_update ? sim::Phase::kUpdate
                               : sim::Phase::kForward;
    ForEachSource(graph.nodes[node], [&](std::size_t source) {
      marks[source].leads_to_gradients |= own.is_named || own.leads_to_gradients;
      (is_update ? marks[source].leads_to_update : marks[source].leads_elsewhere) = true;
    });
  }
  return phases;
}

std::vector<std::optional<std::string>> FindTfModules(const TfGraph& graph,
                                                      const TfRoles& roles,
                                                      std::span<const sim::Phase> phases) {
  std::vector<sim::NamedOp> nodes;
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    const bool is_forward = roles.role[i] == TfRole::kVariable && phases[i] != sim::Phase::kUnknown;
    nodes.push_back(
        {.name = graph.nodes[i].name, .phase = is_forward ? sim::Phase::kForward : phases[i]});
  }
  return sim::ModulesOfNames(nodes);
}

}  // namespace opyard::graphs
