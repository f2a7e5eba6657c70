// The dependencies of a graph's ops and the least times of transfers between classes of devices,
// from which problem bounds are made.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sim/analysis/problem_bound/op_times.h"
#include "sim/graph/op_graph.h"
#include "sim/hardware/hardware_profile.h"
#include "sim/hardware/routes.h"

namespace opyard::sim {

// An op that another waits for (or that waits for it, in a graph read backwards).
struct Dependency {
  std::int32_t op = 0;     // by OpId
  std::int64_t bytes = 0;  // of the largest tensor between the two; -1 if there is none
};

// Plain data; each pair of ops once.
struct Dependencies {
  std::vector<std::int32_t> order;  // ops by OpId, each after those that it waits for
  std::vector<std::size_t> first;   // [num_ops + 1]
  std::vector<Dependency> all;      // of op i: [first[i], first[i + 1])

  [[nodiscard]] std::span<const Dependency> of(std::size_t op) const {
    return std::span(all).subspan(first[op], first[op + 1] - first[op]);
  }
};

[[nodiscard]] Dependencies DependenciesOf(const OpGraph& graph, Rules rules);
// The same graph read from its end.
[[nodiscard]] Dependencies Reversed(const Dependencies& dependencies);

// The least times between two different devices, one of either class.
class TransferTimes {
 public:
  TransferTimes(const HardwareProfile& hardware,
                const RouteTable& routes,
                const std::vector<std::vector<DeviceId>>& classes,
                std::size_t num_ops);

  // In picoseconds: of `bytes` from a device of class `from` to another of class `to`, or of a
  // control edge for bytes = -1. kNoTime if there are no two devices.
  [[nodiscard]] std::int64_t Time(std::size_t from, std::size_t to, std::int64_t bytes) const;

 private:
  struct Line {
    std::int64_t latency_ps = 0;
    double bandwidth_bytes_per_s = 0.0;
  };
  struct Pair {
    std::int64_t signal_ps = kNoTime;  // the least latency
    std::vector<Line> lines;           // by ascending latency and bandwidth
  };
  // `routes` is null where transfers take no time.
  static Pair PairOf(const std::vector<DeviceId>& from,
                     const std::vector<DeviceId>& to,
                     const RouteTable* routes);

  std::size_t num_classes_;
  bool is_fair_;
  std::int64_t longest_ps_;  // of as many transfers as there are ops, all fit 64 bits
  std::vector<Pair> pairs_;  // [num_classes, num_classes]
};

}  // namespace opyard::sim
