// A problem as a list scheduler of merged nodes sees it. Needs no LibTorch.
#pragma once

#include <cstdint>
#include <vector>

#include "agents/planning/estimates/transfer_times.h"
#include "agents/planning/grouping/group_sequence.h"
#include "env/problem.h"
#include "sim/base/units.h"

namespace opyard::agents::doppler {

// From one node to another.
struct NodeLink {
  std::int64_t node = 0;  // at the other end
  Bytes bytes;            // of the tensors that the consumer reads of the producer, each once
  double seconds = 0.0;   // they take between two main devices, in the mean
};

// N nodes, D devices. A node is a group of the sequence, so that a producer stands before its
// consumers; links that merging made lead back are left out, and nodes can always be scheduled.
struct NodeGraph {
  std::int64_t num_nodes = 0;
  std::int64_t num_devices = 0;
  std::vector<std::vector<NodeLink>> producers;  // of each node, ascending
  std::vector<std::vector<NodeLink>> consumers;  // of each node, ascending
  std::vector<double> seconds;                   // [N, D] row-major, of all ops of the node
  std::vector<double> mean_seconds;              // [N], over the devices that it may be on
  std::vector<std::uint8_t> allowed;             // [N, D] row-major, 1: it may be there
  std::vector<Bytes> memory;                     // [N]: what it holds if nothing is freed
  std::vector<Bytes> capacity;                   // [D]; the greatest number where memory is ignored

  [[nodiscard]] double SecondsOn(std::int64_t node, std::int64_t device) const {
    return seconds[static_cast<std::size_t>(node * num_devices + device)];
  }
  [[nodiscard]] bool MayBeOn(std::int64_t node, std::int64_t device) const {
    return allowed[static_cast<std::size_t>(node * num_devices + device)] != 0;
  }
};

// Where placement is no task, a node may be on its default device alone.
[[nodiscard]] NodeGraph MakeNodeGraph(const env::Problem& problem,
                                      const GroupSequence& sequence,
                                      const TransferTimes& transfers);

// The longest path from each node to a sink or, by `producers` in place of `consumers`, to a
// source: Σ mean seconds of its nodes and seconds of its links.
struct NodeLevels {
  std::vector<double> seconds;     // [N]
  std::vector<std::int64_t> next;  // [N]: the node behind on that path, the first of equals; -1 at
                                   // its end
};

[[nodiscard]] NodeLevels BottomLevels(const NodeGraph& graph);
[[nodiscard]] NodeLevels TopLevels(const NodeGraph& graph);

}  // namespace opyard::agents::doppler
