#include "agents/classical/m_sct/favourites.h"

#include <algorithm>
#include <map>
#include <numeric>

#include "agents/classical/m_sct/relaxed_program.h"
#include "agents/planning/encoding/decisions.h"

namespace opyard::agents {
namespace {

// Wider than CLP's tolerances, so that no node gets two favourites.
constexpr double kTolerance = 1e-5;

double MeanSeconds(const env::Problem& problem,
                   const OpTimes& times,
                   std::span<const DeviceId> devices,
                   OpId op) {
  double sum = 0.0;
  std::size_t count = 0;
  for (const DeviceId device : devices) {
    if (IsAllowed(problem, GroupOf(problem, op), device)) {
      sum += times.time(op, device).seconds();
      ++count;
    }
  }
  return count == 0 ? problem.costs().MeanSeconds(op) : sum / static_cast<double>(count);
}

bool HasNoPlace(const env::Problem& problem, OpId op) {
  return problem.costs().MeanSeconds(op) == 0.0 && problem.graph().inputs(op).empty() &&
         problem.graph().control_inputs(op).empty();
}

}  // namespace

PrecedenceGraph BuildPrecedenceGraph(const env::Problem& problem,
                                     const sim::Grouping& grouping,
                                     const TransferTimes& transfers,
                                     const OpTimes& times) {
  const sim::OpGraph& graph = problem.graph();
  const std::vector<DeviceId> devices = MainDevices(problem);
  const TransferTimes::Line mean = transfers.Mean(devices);
  PrecedenceGraph result;
  for (std::size_t i = 0; i < graph.num_ops(); ++i) {
    const OpId op(i);
    result.seconds.push_back(MeanSeconds(problem, times, devices, op));
    std::map<OpId, double> transfer_to;
    const auto count = [&](OpId consumer, double transfer_s) {
      const bool stays = grouping.group_of[op.index()] == grouping.group_of[consumer.index()];
      double& longest = transfer_to.try_emplace(consumer, 0.0).first->second;
      longest = std::max(longest, stays || HasNoPlace(problem, op) ? 0.0 : transfer_s);
    };
    for (std::size_t k = 0; k < graph.num_outputs(op); ++k) {
      const TensorId tensor = graph.output(op, k);
      const auto bytes = static_cast<double>(graph.tensor(tensor).bytes.count);
      for (const OpId consumer : graph.consumers(tensor)) {
        count(consumer, mean.latency_s + bytes * mean.seconds_per_byte);
      }
    }
    for (const OpId consumer : graph.control_consumers(op)) {
      count(consumer, mean.latency_s);
    }
    for (const auto& [consumer, transfer_s] : transfer_to) {
      result.edges.push_back({.source = i, .target = consumer.index(), .transfer_s = transfer_s});
    }
  }
  return result;
}

std::optional<Favourites> FindFavouritesByProgram(const PrecedenceGraph& graph,
                                                  const std::function<bool()>& should_stop) {
  const std::optional<std::vector<double>> x = SolveRelaxedProgram(graph, should_stop);
  if (!x.has_value()) {
    return std::nullopt;
  }
  Favourites favourites;
  for (const double value : *x) {
    favourites.push_back(value < 0.5 - kTolerance ? 1 : 0);
  }
  return favourites;
}

Favourites FavouritesBySize(const PrecedenceGraph& graph) {
  std::vector<std::size_t> order(graph.edges.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) {
    return graph.edges[a].transfer_s > graph.edges[b].transfer_s;
  });
  Favourites favourites(graph.edges.size(), 0);
  std::vector<std::uint8_t> has_child(graph.seconds.size(), 0);
  std::vector<std::uint8_t> has_parent(graph.seconds.size(), 0);
  for (const std::size_t i : order) {
    const PrecedenceGraph::Edge& edge = graph.edges[i];
    if (edge.transfer_s > 0.0 && has_child[edge.source] == 0 && has_parent[edge.target] == 0) {
      favourites[i] = 1;
      has_child[edge.source] = 1;
      has_parent[edge.target] = 1;
    }
  }
  return favourites;
}

std::vector<std::optional<OpId>> FavouriteChildren(const PrecedenceGraph& graph,
                                                   const Favourites& favourites) {
  std::vector<std::optional<OpId>> children(graph.seconds.size());
  for (std::size_t i = 0; i < graph.edges.size(); ++i) {
    if (favourites[i] != 0) {
      children[graph.edges[i].source] = OpId(graph.edges[i].target);
    }
  }
  return children;
}

}  // namespace opyard::agents
