#include "agents/learned/doppler/view.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "agents/learned/common/group_features.h"
#include "agents/planning/encoding/decisions.h"
#include "env/reward.h"
#include "sim/base/check.h"

namespace opyard::agents::doppler {
namespace {

double SumOfSeconds(const std::vector<NodeLink>& links) {
  double sum = 0.0;
  for (const NodeLink& link : links) {
    sum += link.seconds;
  }
  return sum;
}

torch::Tensor NodeColumns(const NodeGraph& graph,
                          const NodeLevels& bottom,
                          const NodeLevels& top,
                          double scale) {
  std::vector<double> columns;
  for (std::size_t node = 0; node < graph.mean_seconds.size(); ++node) {
    columns.insert(columns.end(),
                   {graph.mean_seconds[node],
                    bottom.seconds[node],
                    top.seconds[node],
                    SumOfSeconds(graph.producers[node]),
                    SumOfSeconds(graph.consumers[node])});
  }
  return Standardised(torch::tensor(columns, torch::kDouble).view({-1, kNodeColumns}) / scale,
                      kLeastDeviationOfColumns)
      .to(torch::kFloat);
}

MessageEdges EdgesOf(const NodeGraph& graph, double scale, torch::Device device) {
  std::vector<MessageEdge> edges;
  std::vector<double> seconds;
  for (std::int64_t node = 0; node < graph.num_nodes; ++node) {
    for (const NodeLink& link : graph.consumers[static_cast<std::size_t>(node)]) {
      edges.push_back({.source = node, .target = link.node});
      edges.push_back({.source = link.node, .target = node});
      seconds.insert(seconds.end(), 2, link.seconds / scale);
    }
  }
  if (!edges.empty()) {
    const torch::Tensor features =
        Standardised(torch::tensor(seconds, torch::kDouble), kLeastDeviationOfColumns);
    for (std::size_t edge = 0; edge < edges.size(); ++edge) {
      edges[edge].feature = features[static_cast<std::int64_t>(edge)].item<float>();
    }
  }
  return MakeMessageEdges(std::move(edges), device);
}

torch::Tensor PathsOf(const NodeLevels& levels) {
  const auto num_nodes = std::ssize(levels.next);
  torch::Tensor paths = torch::zeros({num_nodes, num_nodes});
  auto is_on = paths.accessor<float, 2>();
  for (std::int64_t first = 0; first < num_nodes; ++first) {
    for (std::int64_t node = first; node >= 0; node = levels.next[static_cast<std::size_t>(node)]) {
      is_on[first][node] = 1.0F;
    }
  }
  return paths;
}

torch::Tensor MaskOf(const NodeGraph& graph) {
  const torch::Tensor mask = torch::empty({graph.num_nodes, graph.num_devices}, torch::kBool);
  std::ranges::transform(
      graph.allowed, mask.data_ptr<bool>(), [](std::uint8_t allowed) { return allowed != 0; });
  return mask;
}

}  // namespace

torch::Tensor Standardised(const torch::Tensor& x, double least) {
  const torch::Tensor centred = x - x.mean(0, true);
  return centred / (centred.square().mean(0, true) + least * least).sqrt();
}

View MakeView(const env::Problem& problem, const GroupingOptions& groups, torch::Device device) {
  OPYARD_CHECK(problem.tasks().placement || problem.tasks().scheduling,
               "placement or scheduling is learned where it is a task");
  View view{.problem = &problem,
            .sequence = MakeGroupSequence(problem, groups),
            .transfers = TransferTimes(problem),
            .graph = {},
            .bottom_levels = {},
            .reference_score = env::FindReference(problem).score,
            .node_x = {},
            .edges = {},
            .bottom_paths = {},
            .top_paths = {},
            .device_mask = {}};
  view.graph = MakeNodeGraph(problem, view.sequence, view.transfers);
  const double sum =
      std::accumulate(view.graph.mean_seconds.begin(), view.graph.mean_seconds.end(), 0.0);
  view.scale = sum > 0.0 ? sum / static_cast<double>(view.graph.num_nodes) : 1.0;
  NodeLevels bottom = BottomLevels(view.graph);
  const NodeLevels top = TopLevels(view.graph);
  view.node_x = NodeColumns(view.graph, bottom, top, view.scale).to(device);
  view.edges = EdgesOf(view.graph, view.scale, device);
  view.bottom_paths = PathsOf(bottom).to(device);
  view.top_paths = PathsOf(top).to(device);
  view.device_mask = MaskOf(view.graph).to(device);
  view.bottom_levels = std::move(bottom.seconds);
  return view;
}

bool HasChoice(const env::Problem& problem, const GroupingOptions& groups) {
  if (!problem.tasks().placement && !problem.tasks().scheduling) {
    return false;
  }
  const GroupSequence sequence = MakeGroupSequence(problem, groups);
  return (problem.tasks().placement && sequence.has_choice()) ||
         (problem.tasks().scheduling && sequence.num_groups > 1);
}

std::vector<std::int64_t> DevicesOfNodes(const View& view, const sim::Plan& plan) {
  std::vector<std::int64_t> devices(static_cast<std::size_t>(view.graph.num_nodes), -1);
  for (const OpId op : view.problem->graph().topological_order()) {
    std::int64_t& device = devices[static_cast<std::size_t>(view.sequence.group_of_op[op.index()])];
    device = device < 0 ? static_cast<std::int64_t>(plan.placement[op.index()].index()) : device;
  }
  for (std::int64_t node = 0; node < view.graph.num_nodes; ++node) {
    std::int64_t& device = devices[static_cast<std::size_t>(node)];
    if (!view.graph.MayBeOn(node, device)) {
      device = 0;
      while (!view.graph.MayBeOn(node, device)) {
        ++device;
      }
    }
  }
  return devices;
}

sim::Plan ToPlan(const View& view,
                 const std::vector<std::int64_t>& nodes,
                 const std::vector<std::int64_t>& devices) {
  const auto num_nodes = static_cast<std::size_t>(view.graph.num_nodes);
  std::vector<std::int64_t> device_of_node(num_nodes);
  std::vector<std::int64_t> priority_of_node(num_nodes);
  for (std::size_t step = 0; step < num_nodes; ++step) {
    const auto node = static_cast<std::size_t>(nodes[step]);
    device_of_node[node] = devices[step];
    priority_of_node[node] = static_cast<std::int64_t>(num_nodes - 1 - step);
  }
  Decisions decisions;
  if (view.problem->tasks().placement) {
    decisions.device_of_group = DeviceOfProblemGroups(view.sequence, device_of_node);
  }
  if (view.problem->tasks().scheduling) {
    for (const std::int32_t node : view.sequence.group_of_problem_group) {
      decisions.priority_of_group.push_back(priority_of_node[static_cast<std::size_t>(node)]);
    }
  }
  return ToPlan(*view.problem, decisions);
}

}  // namespace opyard::agents::doppler
