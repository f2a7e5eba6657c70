#include "sim/analysis/problem_bound/dependencies.h"

#include <algorithm>

#include "sim/base/units.h"
#include "sim/graph/placeto_reads.h"

namespace opyard::sim {
namespace {

// What `op` waits for, an op as often as there are tensors and control edges.
void AddDependencies(const OpGraph& graph, OpId op, Rules rules, std::vector<Dependency>& found) {
  const auto add_tensor = [&](TensorId tensor) {
    found.push_back(
        {.op = graph.tensor(tensor).producer.value, .bytes = graph.tensor(tensor).bytes.count});
  };
  const auto add_signal = [&](OpId before) { found.push_back({.op = before.value, .bytes = -1}); };
  if (rules == Rules::kPlaceto) {
    const PlacetoReads reads = ReadsForPlaceto(graph, op);
    std::ranges::for_each(reads.tensors, add_tensor);
    std::ranges::for_each(reads.signals, add_signal);
    return;
  }
  std::ranges::for_each(graph.inputs(op), add_tensor);
  std::ranges::for_each(graph.control_inputs(op), add_signal);
}

// Under fair sharing, which rounds at the end of a flow of several rates.
std::int64_t LeastFair(std::int64_t moving_ps) {
  return std::max<std::int64_t>(moving_ps - 2 - moving_ps / (std::int64_t{1} << 30), 0);
}

}  // namespace

Dependencies DependenciesOf(const OpGraph& graph, Rules rules) {
  Dependencies result;
  for (const OpId op : graph.topological_order()) {
    result.order.push_back(op.value);
  }
  std::vector<Dependency> found;
  for (std::size_t op = 0; op < graph.num_ops(); ++op) {
    result.first.push_back(result.all.size());
    found.clear();
    AddDependencies(graph, OpId(op), rules, found);
    // The largest of a pair of ops first.
    std::ranges::sort(found, [](const Dependency& a, const Dependency& b) {
      return a.op != b.op ? a.op < b.op : a.bytes > b.bytes;
    });
    const auto rest = std::ranges::unique(found, {}, &Dependency::op);
    result.all.insert(result.all.end(), found.begin(), rest.begin());
  }
  result.first.push_back(result.all.size());
  return result;
}

Dependencies Reversed(const Dependencies& dependencies) {
  const std::size_t num_ops = dependencies.order.size();
  Dependencies result{.order = {dependencies.order.rbegin(), dependencies.order.rend()},
                      .first = std::vector<std::size_t>(num_ops + 1),
                      .all = std::vector<Dependency>(dependencies.all.size())};
  for (const Dependency& before : dependencies.all) {
    ++result.first[static_cast<std::size_t>(before.op) + 1];
  }
  for (std::size_t op = 0; op < num_ops; ++op) {
    result.first[op + 1] += result.first[op];
  }
  std::vector<std::size_t> next(result.first.begin(), result.first.end() - 1);
  for (std::size_t op = 0; op < num_ops; ++op) {
    for (const Dependency& before : dependencies.of(op)) {
      result.all[next[static_cast<std::size_t>(before.op)]++] = {
          .op = static_cast<std::int32_t>(op), .bytes = before.bytes};
    }
  }
  return result;
}

TransferTimes::TransferTimes(const HardwareProfile& hardware,
                             const RouteTable& routes,
                             const std::vector<std::vector<DeviceId>>& classes,
                             std::size_t num_ops)
    : num_classes_(classes.size()),
      is_fair_(hardware.transfers.sharing == Sharing::kFair),
      longest_ps_(kNoTime / static_cast<std::int64_t>(num_ops + 1)) {
  for (const auto& from : classes) {
    for (const auto& to : classes) {
      pairs_.push_back(PairOf(from, to, hardware.rules == Rules::kRegal ? nullptr : &routes));
    }
  }
}

TransferTimes::Pair TransferTimes::PairOf(const std::vector<DeviceId>& from,
                                          const std::vector<DeviceId>& to,
                                          const RouteTable* routes) {
  Pair pair;
  std::vector<Line> lines;
  for (const DeviceId src : from) {
    for (const DeviceId dst : to) {
      if (src == dst) {
        continue;
      }
      const Route* route = routes == nullptr ? nullptr : routes->Find(src, dst);
      pair.signal_ps = std::min(pair.signal_ps, route == nullptr ? 0 : route->latency.picoseconds);
      if (route != nullptr) {
        lines.push_back({.latency_ps = route->latency.picoseconds,
                         .bandwidth_bytes_per_s = route->bandwidth_bytes_per_s});
      }
    }
  }
  std::ranges::sort(lines, [](const Line& a, const Line& b) {
    return a.latency_ps != b.latency_ps ? a.latency_ps < b.latency_ps
                                        : a.bandwidth_bytes_per_s > b.bandwidth_bytes_per_s;
  });
  for (const Line& line : lines) {
    if (pair.lines.empty() ||
        line.bandwidth_bytes_per_s > pair.lines.back().bandwidth_bytes_per_s) {
      pair.lines.push_back(line);
    }
  }
  return pair;
}

std::int64_t TransferTimes::Time(std::size_t from, std::size_t to, std::int64_t bytes) const {
  const Pair& pair = pairs_[from * num_classes_ + to];
  if (bytes < 0 || pair.lines.empty()) {
    return pair.signal_ps;
  }
  std::int64_t least_ps = longest_ps_;
  for (const Line& line : pair.lines) {
    const double moving_s = static_cast<double>(bytes) / line.bandwidth_bytes_per_s;
    if (FitsInSimTime(moving_s)) {
      const std::int64_t moving_ps = SimTime::FromSeconds(moving_s).picoseconds;
      least_ps =
          std::min(least_ps, line.latency_ps + (is_fair_ ? LeastFair(moving_ps) : moving_ps));
    }
  }
  return least_ps;
}

}  // namespace opyard::sim
