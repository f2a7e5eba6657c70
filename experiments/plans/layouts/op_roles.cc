#include "experiments/plans/layouts/op_roles.h"

#include <algorithm>
#include <cstddef>

#include "graphs/microbatches/passes.h"

namespace opyard::experiments {
namespace {

OpRole RoleOfPhase(sim::Phase phase) {
  switch (phase) {
    case sim::Phase::kBackward:
      return OpRole::kBackward;
    case sim::Phase::kUpdate:
      return OpRole::kUpdate;
    default:
      return OpRole::kForward;
  }
}

std::vector<sim::Phase> PhasesOf(const sim::OpGraph& graph) {
  const bool says_any = std::ranges::any_of(
      graph.ops(), [](const sim::Op& op) { return op.phase != sim::Phase::kUnknown; });
  return says_any ? graphs::KnownPhases(graph)
                  : std::vector<sim::Phase>(graph.num_ops(), sim::Phase::kForward);
}

// For each weight, and view of one: whether a forward op reads it.
std::vector<bool> ReadByForward(const sim::OpGraph& graph, const std::vector<OpRole>& roles) {
  std::vector<bool> is_read(roles.size());
  const auto order = graph.topological_order();
  for (std::size_t i = order.size(); i-- > 0;) {
    for (std::size_t output = 0; output < graph.num_outputs(order[i]); ++output) {
      for (const OpId reader : graph.consumers(graph.output(order[i], output))) {
        const bool is_through_view =
            roles[reader.index()] == OpRole::kWeight && is_read[reader.index()];
        if (roles[reader.index()] == OpRole::kForward || is_through_view) {
          is_read[order[i].index()] = true;
        }
      }
    }
  }
  return is_read;
}

}  // namespace

std::vector<OpRole> RolesOf(const sim::OpGraph& graph, const sim::ModuleTree& tree) {
  const std::vector<sim::Phase> phases = PhasesOf(graph);
  const std::vector<bool> is_parameter = graphs::ParameterOps(graph);
  std::vector<OpRole> roles;
  for (std::size_t i = 0; i < graph.num_ops(); ++i) {
    const bool is_input = graph.op(OpId(i)).type == "Placeholder";
    roles.push_back(is_parameter[i] ? OpRole::kWeight
                    : is_input      ? OpRole::kOutside
                                    : RoleOfPhase(phases[i]));
  }
  const std::vector<bool> is_read = ReadByForward(graph, roles);
  for (std::size_t i = 0; i < roles.size(); ++i) {
    const bool is_of_optimizer =
        roles[i] == OpRole::kUpdate || (roles[i] == OpRole::kWeight && !is_read[i]);
    if (tree.module_of[i] == 0 && is_of_optimizer) {
      roles[i] = OpRole::kOutside;
    }
  }
  return roles;
}

}  // namespace opyard::experiments
