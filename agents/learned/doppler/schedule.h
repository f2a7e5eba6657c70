// The state of one episode of DOPPLER: what is placed, what is ready, and when devices are free by
// estimate. Needs no LibTorch.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "agents/learned/doppler/node_graph.h"
#include "agents/planning/estimates/transfer_times.h"

namespace opyard::agents::doppler {

// Columns of a device for the node that is to be placed; the first five are the published ones.
inline constexpr std::int64_t kPublishedDeviceColumns = 5;
inline constexpr std::int64_t kDeviceColumns = 8;

// With `faithful` a node starts when its device has done what was placed there before, whether its
// inputs have arrived or not, and memory is unseen: the estimate of the published code
// (env/env.py). Otherwise a node starts when its device is free and its inputs have arrived. In
// both, devices work in the order of the placements, and a transfer takes its time alone.
//
// Used by one thread at a time. REQUIRES: graph and transfers outlive it.
class PartialSchedule {
 public:
  PartialSchedule(const NodeGraph& graph, const TransferTimes& transfers, bool faithful);

  // The nodes that are not placed and whose producers are, in the order in which they became ready.
  [[nodiscard]] std::span<const std::int64_t> ready() const { return ready_; }
  // When `node`, which is ready, could start on `device`.
  [[nodiscard]] double EarliestStart(std::int64_t node, std::int64_t device) const;
  // Whether what is there leaves room for `node`, by NodeGraph::memory.
  [[nodiscard]] bool HasRoom(std::int64_t node, std::int64_t device) const;
  // Appends [D, 5] or, unless faithful, [D, 8]. The five: seconds of the nodes on the device, of
  // the producers of `node` there, their first start, their last end, the earliest start of `node`.
  // The others: its seconds and its earliest end there; the share of the memory that would be in
  // use, at most 2. All but that share are in units of `scale` seconds.
  void AppendDeviceFeatures(std::int64_t node, double scale, std::vector<float>& features) const;
  // REQUIRES: `node` is ready.
  void Place(std::int64_t node, std::int64_t device);

  [[nodiscard]] bool is_faithful() const { return is_faithful_; }
  [[nodiscard]] const NodeGraph& graph() const { return graph_; }

 private:
  struct Placed {
    std::int64_t device = -1;
    double start = 0.0;
    double end = 0.0;
  };

  const NodeGraph& graph_;
  const TransferTimes& transfers_;
  bool is_faithful_;
  std::vector<std::int64_t> ready_;
  std::vector<std::size_t> num_missing_;  // [N]: producers that are not placed
  std::vector<Placed> placed_;            // [N]
  std::vector<double> work_;              // [D]: seconds of the nodes there
  std::vector<double> free_;              // [D]: when the last node there ends
  std::vector<double> memory_;            // [D]: bytes of the nodes there
};

// The teacher of stage 1, a list schedule: 1 for each of `ready` that has the greatest bottom
// level.
void AppendCritical(std::span<const std::int64_t> ready,
                    std::span<const double> bottom_levels,
                    std::vector<float>& is_critical);
// 1 for each device on which `node` could start first or, unless faithful, end first, of those with
// room for it where there are any. [D]
void AppendEarliest(const PartialSchedule& schedule,
                    std::int64_t node,
                    std::vector<float>& is_earliest);

}  // namespace opyard::agents::doppler
