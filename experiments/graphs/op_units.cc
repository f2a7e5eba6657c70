#include "experiments/graphs/op_units.h"

#include <cstddef>

#include "experiments/graphs/profiled_types.h"

namespace opyard::experiments {
namespace {

// Those of one convolution read the same gradient first.
std::vector<OpUnit> GradientsOfConvolutions(const sim::OpGraph& graph,
                                            const std::set<OpId>& taken) {
  std::map<TensorId, std::size_t> unit_of;  // by the gradient that is read
  std::vector<OpUnit> units;
  for (const OpId op : graph.topological_order()) {
    const bool is_one =
        ProfiledTypes::GroupOf(graph.op(op).type) == ProfiledTypes::kConvolutionGradients;
    if (is_one && !taken.contains(op) && !graph.inputs(op).empty()) {
      const auto [found, is_new] = unit_of.try_emplace(graph.inputs(op)[0], units.size());
      if (is_new) {
        units.push_back({.phase = graph.op(op).phase});
      }
      units[found->second].ops.push_back(op);
    }
  }
  for (const OpId op : graph.topological_order()) {
    if (LowerCase(graph.op(op).type) == "biasaddgrad" && !taken.contains(op) &&
        !graph.inputs(op).empty()) {
      const auto found = unit_of.find(graph.inputs(op)[0]);
      if (found != unit_of.end()) {
        units[found->second].ops.push_back(op);
      }
    }
  }
  return units;
}

}  // namespace

std::vector<OpUnit> UnitsOf(const sim::OpGraph& graph,
                            const std::string& type,
                            const std::set<std::string>& stand_ins,
                            const std::set<OpId>& taken) {
  if (type == ProfiledTypes::kConvolutionGradients) {
    return GradientsOfConvolutions(graph, taken);
  }
  std::vector<OpUnit> units;
  for (const OpId op : graph.topological_order()) {
    const sim::Op& described = graph.op(op);
    const std::string own = LowerCase(described.type);
    const bool is_one =
        own == type || ProfiledTypes::GroupOf(own) == type || stand_ins.contains(own);
    if (!is_one || taken.contains(op)) {
      continue;
    }
    if (units.empty() || type != ProfiledTypes::kUpdates) {
      units.push_back({.phase = described.phase});
    }
    units.back().ops.push_back(op);
  }
  return units;
}

std::vector<std::pair<OpId, double>> SharesOf(const sim::OpGraph& graph,
                                              const OpUnit& unit,
                                              double seconds) {
  double flops = 0.0;
  for (const OpId op : unit.ops) {
    flops += graph.op(op).flops.count;
  }
  std::vector<std::pair<OpId, double>> shares;
  for (const OpId op : unit.ops) {
    const double part =
        flops > 0.0 ? graph.op(op).flops.count / flops : 1.0 / static_cast<double>(unit.ops.size());
    shares.emplace_back(op, seconds * part);
  }
  return shares;
}

}  // namespace opyard::experiments
