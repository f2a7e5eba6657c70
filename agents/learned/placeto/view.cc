#include "agents/learned/placeto/view.h"

#include <algorithm>
#include <set>

#include "agents/learned/common/feature_tensors.h"
#include "agents/planning/initial_plans/simple_plans.h"
#include "env/observation.h"
#include "sim/base/check.h"

namespace opyard::agents::placeto {
namespace {

constexpr std::int64_t kPriorityLevels = 20;

using Neighbours = std::vector<std::vector<std::int64_t>>;  // of each node, ascending

std::size_t NodeOf(const GroupSequence& sequence, OpId op) {
  return static_cast<std::size_t>(sequence.group_of_op[op.index()]);
}

// The nodes that each feeds, by tensors or control edges.
Neighbours Consumers(const env::Problem& problem, const GroupSequence& sequence) {
  const sim::OpGraph& graph = problem.graph();
  std::vector<std::set<std::int64_t>> fed(static_cast<std::size_t>(sequence.num_groups));
  const auto add = [&](OpId producer, OpId consumer) {
    const std::size_t target = NodeOf(sequence, consumer);
    if (NodeOf(sequence, producer) != target) {
      fed[NodeOf(sequence, producer)].insert(static_cast<std::int64_t>(target));
    }
  };
  for (const OpId op : graph.topological_order()) {
    for (const TensorId tensor : graph.inputs(op)) {
      add(graph.tensor(tensor).producer, op);
    }
    for (const OpId before : graph.control_inputs(op)) {
      add(before, op);
    }
  }
  Neighbours consumers;
  for (const std::set<std::int64_t>& nodes : fed) {
    consumers.emplace_back(nodes.begin(), nodes.end());
  }
  return consumers;
}

Neighbours Reversed(const Neighbours& neighbours) {
  Neighbours reversed(neighbours.size());
  for (std::size_t node = 0; node < neighbours.size(); ++node) {
    for (const std::int64_t neighbour : neighbours[node]) {
      reversed[static_cast<std::size_t>(neighbour)].push_back(static_cast<std::int64_t>(node));
    }
  }
  return reversed;
}

// Whether each node can be reached from `start` over one edge or more.
std::vector<bool> ReachableFrom(std::size_t start, const Neighbours& neighbours) {
  std::vector<bool> is_reached(neighbours.size(), false);
  std::vector<std::size_t> open = {start};
  while (!open.empty()) {
    const std::size_t node = open.back();
    open.pop_back();
    for (const std::int64_t next : neighbours[node]) {
      if (!is_reached[static_cast<std::size_t>(next)]) {
        is_reached[static_cast<std::size_t>(next)] = true;
        open.push_back(static_cast<std::size_t>(next));
      }
    }
  }
  return is_reached;
}

void FillPools(const Neighbours& producers, const Neighbours& consumers, View& view) {
  auto& [ancestors, descendants, parallel] = view.pools;
  for (std::size_t node = 0; node < consumers.size(); ++node) {
    const std::vector<bool> is_before = ReachableFrom(node, producers);
    const std::vector<bool> is_behind = ReachableFrom(node, consumers);
    for (auto& pool : view.pools) {
      pool.emplace_back();
    }
    for (std::size_t other = 0; other < consumers.size(); ++other) {
      if (other == node) {
        continue;
      }
      const auto member = static_cast<std::int64_t>(other);
      if (is_before[other]) {
        ancestors.back().push_back(member);
      }
      if (is_behind[other]) {
        descendants.back().push_back(member);
      }
      if (!is_before[other] && !is_behind[other]) {
        parallel.back().push_back(member);
      }
    }
  }
}

SparseEdges EdgesOf(const Neighbours& producers, const Neighbours& consumers) {
  SparseRows rows;
  for (const std::vector<std::int64_t>& sources : producers) {
    rows.Append(sources);
  }
  for (std::vector<std::int64_t> sources : consumers) {
    for (std::int64_t& source : sources) {
      source += std::ssize(producers);
    }
    rows.Append(sources);
  }
  return MakeSparseEdges(rows);
}

// Divided by the greatest, if that is not 0.
torch::Tensor Scaled(const std::vector<double>& values) {
  const double greatest = *std::ranges::max_element(values);
  const torch::Tensor all = torch::tensor(values, torch::kDouble);
  return (greatest > 0.0 ? all / greatest : all).to(torch::kFloat);
}

torch::Tensor Costs(const env::Problem& problem, const GroupSequence& sequence) {
  std::vector<double> seconds(static_cast<std::size_t>(sequence.num_groups), 0.0);
  for (const OpId op : problem.graph().topological_order()) {
    seconds[NodeOf(sequence, op)] += problem.costs().MeanSeconds(op);
  }
  return Scaled(seconds);
}

torch::Tensor Outputs(const env::Problem& problem, const GroupSequence& sequence) {
  const sim::OpGraph& graph = problem.graph();
  std::vector<double> bytes(static_cast<std::size_t>(sequence.num_groups), 0.0);
  for (std::size_t i = 0; i < graph.num_tensors(); ++i) {
    const sim::Tensor& tensor = graph.tensor(TensorId(i));
    const std::size_t node = NodeOf(sequence, tensor.producer);
    const bool leaves = std::ranges::any_of(graph.consumers(TensorId(i)), [&](OpId consumer) {
      return NodeOf(sequence, consumer) != node;
    });
    if (leaves) {
      bytes[node] += static_cast<double>(tensor.bytes.count);
    }
  }
  return Scaled(bytes);
}

torch::Tensor OutputMemory(const env::Problem& problem, const GroupSequence& sequence) {
  const sim::OpGraph& graph = problem.graph();
  std::vector<double> bytes(static_cast<std::size_t>(sequence.num_groups), 0.0);
  for (std::size_t i = 0; i < graph.num_tensors(); ++i) {
    const sim::Tensor& tensor = graph.tensor(TensorId(i));
    bytes[NodeOf(sequence, tensor.producer)] += static_cast<double>(tensor.bytes.count);
  }
  return Scaled(bytes);
}

}  // namespace

View MakeView(const env::Problem& problem, const GroupingOptions& groups, torch::Device device) {
  OPYARD_CHECK(problem.tasks().placement, "a placement is learned where placement is a task");
  const GroupSequence sequence = MakeGroupSequence(problem, groups);
  const Neighbours consumers = Consumers(problem, sequence);
  const Neighbours producers = Reversed(consumers);
  View view{.problem = &problem,
            .sequence = sequence,
            .cost = Costs(problem, sequence),
            .output = Outputs(problem, sequence),
            .memory = OutputMemory(problem, sequence),
            .edges = ToDevice(EdgesOf(producers, consumers), device),
            .pools = {},
            .devices = ToDevice(MakeDeviceFeatures(env::Observe(problem)), device),
            .device_mask = DeviceMask(sequence).to(device),
            .visited = {},
            .priority_of_group = {},
            .reference = env::FindReference(problem)};
  FillPools(producers, consumers, view);
  for (std::int64_t node = 0; node < sequence.num_groups; ++node) {
    if (AllowedDevices(sequence, node).size() > 1) {
      view.visited.push_back(node);
    }
  }
  if (problem.tasks().scheduling) {
    view.priority_of_group = LevelsByUpwardRank(problem, kPriorityLevels);
  }
  return view;
}

SparseEdges PoolEdges(const View& view, const std::vector<std::int64_t>& nodes) {
  const std::int64_t num_nodes = view.sequence.num_groups;
  const std::int64_t num_states = std::ssize(nodes);
  SparseRows rows;
  for (std::size_t pool = 0; pool < kNumPools; ++pool) {
    for (std::int64_t state = 0; state < num_states; ++state) {
      const std::int64_t node = nodes[static_cast<std::size_t>(state)];
      std::vector<std::int64_t> members = view.pools[pool][static_cast<std::size_t>(node)];
      for (std::int64_t& member : members) {
        member = (static_cast<std::int64_t>(pool) * num_nodes + member) * num_states + state;
      }
      rows.Append(members);
    }
  }
  return ToDevice(MakeSparseEdges(rows), view.edges.source.device());
}

}  // namespace opyard::agents::placeto
