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

}  // namespace

std::vector<OpRole> RolesOf(const sim::OpGraph& graph) {
  const std::vector<sim::Phase> phases = PhasesOf(graph);
  const std::vector<bool> is_parameter = graphs::ParameterOps(graph);
  std::vector<OpRole> roles;
  for (std::size_t i = 0; i < graph.num_ops(); ++i) {
    const bool is_input = graph.op(OpId(i)).type == "Placeholder";
    roles.push_back(is_parameter[i] ? OpRole::kWeight
                    : is_input      ? OpRole::kInput
                                    : RoleOfPhase(phases[i]));
  }
  return roles;
}

}  // namespace opyard::experiments
