#include "agents/learned/doppler/node_graph.h"

#include <limits>
#include <map>
#include <set>

#include "agents/planning/encoding/decisions.h"
#include "agents/planning/estimates/group_memory.h"
#include "agents/planning/estimates/op_times.h"

namespace opyard::agents::doppler {
namespace {

// The bytes of each link, by its producer and its consumer.
using LinkBytes = std::map<std::pair<std::int64_t, std::int64_t>, std::int64_t>;

LinkBytes BytesOfLinks(const env::Problem& problem, const GroupSequence& sequence) {
  const sim::OpGraph& graph = problem.graph();
  const auto node_of = [&](OpId op) -> std::int64_t { return sequence.group_of_op[op.index()]; };
  LinkBytes links;
  for (std::size_t i = 0; i < graph.num_tensors(); ++i) {
    const sim::Tensor& tensor = graph.tensor(TensorId(i));
    std::set<std::int64_t> readers;
    for (const OpId consumer : graph.consumers(TensorId(i))) {
      readers.insert(node_of(consumer));
    }
    for (const std::int64_t reader : readers) {
      links[{node_of(tensor.producer), reader}] += tensor.bytes.count;
    }
  }
  for (const OpId op : graph.topological_order()) {
    for (const OpId before : graph.control_inputs(op)) {
      links[{node_of(before), node_of(op)}] += 0;
    }
  }
  return links;
}

void FillLinks(const env::Problem& problem,
               const GroupSequence& sequence,
               const TransferTimes& transfers,
               NodeGraph& graph) {
  const TransferTimes::Line line = transfers.Mean(MainDevices(problem));
  for (const auto& [ends, bytes] : BytesOfLinks(problem, sequence)) {
    const auto [producer, consumer] = ends;
    if (producer >= consumer) {
      continue;
    }
    const double seconds = line.latency_s + line.seconds_per_byte * static_cast<double>(bytes);
    graph.consumers[static_cast<std::size_t>(producer)].push_back(
        {.node = consumer, .bytes = Bytes{bytes}, .seconds = seconds});
    graph.producers[static_cast<std::size_t>(consumer)].push_back(
        {.node = producer, .bytes = Bytes{bytes}, .seconds = seconds});
  }
}

void FillSeconds(const env::Problem& problem, const GroupSequence& sequence, NodeGraph& graph) {
  const OpTimes times = OpTimes::Fused(problem);
  const auto num_devices = static_cast<std::size_t>(graph.num_devices);
  for (std::size_t op = 0; op < sequence.group_of_op.size(); ++op) {
    const std::size_t row = static_cast<std::size_t>(sequence.group_of_op[op]) * num_devices;
    for (std::size_t device = 0; device < num_devices; ++device) {
      if (graph.allowed[row + device] != 0) {
        graph.seconds[row + device] += times.time(OpId(op), DeviceId(device)).seconds();
      }
    }
  }
  for (std::int64_t node = 0; node < graph.num_nodes; ++node) {
    double sum = 0.0;
    double count = 0.0;
    for (std::int64_t device = 0; device < graph.num_devices; ++device) {
      sum += graph.SecondsOn(node, device);
      count += graph.MayBeOn(node, device) ? 1.0 : 0.0;
    }
    graph.mean_seconds.push_back(sum / count);
  }
}

void FillAllowed(const env::Problem& problem, const GroupSequence& sequence, NodeGraph& graph) {
  graph.allowed = sequence.device_mask;
  if (problem.tasks().placement) {
    return;
  }
  graph.allowed.assign(graph.allowed.size(), 0);
  for (std::size_t op = 0; op < sequence.group_of_op.size(); ++op) {
    const auto node = static_cast<std::size_t>(sequence.group_of_op[op]);
    const std::size_t row = node * static_cast<std::size_t>(graph.num_devices);
    graph.allowed[row + problem.default_placement()[op].index()] = 1;
  }
}

void FillMemory(const env::Problem& problem, const GroupSequence& sequence, NodeGraph& graph) {
  const std::vector<Bytes> bytes = GroupBytes(problem);
  for (std::size_t group = 0; group < bytes.size(); ++group) {
    const auto node = static_cast<std::size_t>(sequence.group_of_problem_group[group]);
    graph.memory[node].count += bytes[group].count;
  }
  const sim::HardwareProfile& machine = problem.hardware();
  for (std::size_t device = 0; device < machine.num_devices(); ++device) {
    graph.capacity.push_back(machine.memory.on_exceed == sim::OnExceed::kIgnore
                                 ? Bytes{std::numeric_limits<std::int64_t>::max()}
                                 : machine.capacity(DeviceId(device)));
  }
}

// Sets the level of `node` from those of `links`, which are known.
void ExtendLevel(const NodeGraph& graph,
                 std::int64_t node,
                 const std::vector<NodeLink>& links,
                 NodeLevels& levels) {
  const auto i = static_cast<std::size_t>(node);
  double longest = 0.0;
  for (const NodeLink& link : links) {
    const double path = link.seconds + levels.seconds[static_cast<std::size_t>(link.node)];
    if (levels.next[i] < 0 || path > longest) {
      longest = path;
      levels.next[i] = link.node;
    }
  }
  levels.seconds[i] = graph.mean_seconds[i] + longest;
}

NodeLevels UnknownLevels(const NodeGraph& graph) {
  const auto num_nodes = static_cast<std::size_t>(graph.num_nodes);
  return {.seconds = std::vector<double>(num_nodes, 0.0),
          .next = std::vector<std::int64_t>(num_nodes, -1)};
}

}  // namespace

NodeGraph MakeNodeGraph(const env::Problem& problem,
                        const GroupSequence& sequence,
                        const TransferTimes& transfers) {
  const auto num_nodes = static_cast<std::size_t>(sequence.num_groups);
  NodeGraph graph{.num_nodes = sequence.num_groups,
                  .num_devices = sequence.num_devices,
                  .producers = std::vector<std::vector<NodeLink>>(num_nodes),
                  .consumers = std::vector<std::vector<NodeLink>>(num_nodes),
                  .seconds = std::vector<double>(sequence.device_mask.size(), 0.0),
                  .mean_seconds = {},
                  .allowed = {},
                  .memory = std::vector<Bytes>(num_nodes),
                  .capacity = {}};
  FillAllowed(problem, sequence, graph);
  FillLinks(problem, sequence, transfers, graph);
  FillSeconds(problem, sequence, graph);
  FillMemory(problem, sequence, graph);
  return graph;
}

NodeLevels BottomLevels(const NodeGraph& graph) {
  NodeLevels levels = UnknownLevels(graph);
  for (std::int64_t node = graph.num_nodes - 1; node >= 0; --node) {
    ExtendLevel(graph, node, graph.consumers[static_cast<std::size_t>(node)], levels);
  }
  return levels;
}

NodeLevels TopLevels(const NodeGraph& graph) {
  NodeLevels levels = UnknownLevels(graph);
  for (std::int64_t node = 0; node < graph.num_nodes; ++node) {
    ExtendLevel(graph, node, graph.producers[static_cast<std::size_t>(node)], levels);
  }
  return levels;
}

}  // namespace opyard::agents::doppler
