#include "sim/analysis/problem_bound/problem_bound.h"

#include <algorithm>
#include <vector>

#include "sim/analysis/problem_bound/dependencies.h"
#include "sim/analysis/problem_bound/device_weights.h"
#include "sim/analysis/problem_bound/heads.h"
#include "sim/analysis/problem_bound/work_windows.h"
#include "sim/base/array_index.h"

namespace opyard::sim {
namespace {

std::vector<std::int64_t> ReleasesOfOps(const OpGraph& graph) {
  std::vector<std::int64_t> releases;
  for (const Op& op : graph.ops()) {
    releases.push_back(op.release.picoseconds);
  }
  return releases;
}

std::vector<std::int32_t> LabelsOf(const OpGraph& graph) {
  std::vector<std::int32_t> labels;
  for (const Op& op : graph.ops()) {
    labels.push_back(op.colocation.value_or(-1));
  }
  return labels;
}

class BoundSearch {
 public:
  BoundSearch(const OpGraph& graph,
              const HardwareProfile& hardware,
              const CostTable& costs,
              const RouteTable& routes,
              BoundedPlans plans)
      : graph_(graph),
        plans_(plans),
        times_(LeastOpTimes(graph, hardware, costs, plans.kernels)),
        weights_(DeviceWeights(times_, hardware)) {
    const TransferTimes transfers(hardware, routes, times_.classes, graph.num_ops());
    const Dependencies dependencies = DependenciesOf(graph, hardware.rules);
    HeadRules rules{.one_op_at_a_time = plans.one_op_at_a_time,
                    .ready_ps = ReleasesOfOps(graph),
                    .label = LabelsOf(graph),
                    .weights = weights_.back()};
    heads_ = EarliestStarts(dependencies, times_, transfers, rules);
    rules.is_reversed = true;
    rules.ready_ps.clear();
    tails_ = EarliestStarts(Reversed(dependencies), times_, transfers, rules);
  }

  [[nodiscard]] SimTime Find() const {
    std::int64_t bound = PathBound();
    if (plans_.one_op_at_a_time) {
      bound = std::max({bound, WorkBound(), LabelBound()});
    }
    return SimTime{bound};
  }

 private:
  // The size of sweeps over the work between heads and tails.
  static constexpr std::size_t kLeastHeads = 4;
  static constexpr std::size_t kMostItems = 3'000'000;

  // Over the ops, each on its best class: what comes before, itself, what comes after.
  [[nodiscard]] std::int64_t PathBound() const {
    std::int64_t bound = 0;
    for (std::size_t op = 0; op < graph_.num_ops(); ++op) {
      std::int64_t least = kNoTime;
      for (std::size_t k = 0; k < times_.num_classes(); ++k) {
        const std::size_t slot = op * times_.num_classes() + k;
        if (times_.time_ps[slot] < kNoTime) {
          least = std::min(least, heads_[slot] + times_.time_ps[slot] + tails_[slot]);
        }
      }
      bound = std::max(bound, least);
    }
    return bound;
  }

  [[nodiscard]] std::int64_t WorkBound() const {
    std::int64_t bound = 0;
    const std::size_t most_heads = std::max(kLeastHeads, kMostItems / graph_.num_ops());
    for (const std::vector<std::int64_t>& weights : weights_) {
      std::vector<WorkItem> items;
      for (std::size_t op = 0; op < graph_.num_ops(); ++op) {
        items.push_back({.head_ps = Least(heads_, op),
                         .tail_ps = Least(tails_, op),
                         .work = LeastWork(times_, weights, op)});
      }
      bound = std::max(
          bound, WeightedDevices(EachDevice(times_, weights)).Bound(std::move(items), most_heads));
    }
    return bound;
  }

  // The ops of one label share one device.
  [[nodiscard]] std::int64_t LabelBound() const {
    std::vector<std::vector<std::size_t>> labelled(graph_.colocation_labels().size());
    for (std::size_t op = 0; op < graph_.num_ops(); ++op) {
      if (const auto label = graph_.op(OpId(op)).colocation) {
        labelled[At(*label)].push_back(op);
      }
    }
    std::int64_t bound = 0;
    for (const std::vector<std::size_t>& ops : labelled) {
      std::int64_t least = kNoTime;
      for (std::size_t k = 0; k < times_.num_classes(); ++k) {
        least = std::min(least, OneDeviceBoundOn(k, ops));
      }
      bound = std::max(bound, least);
    }
    return bound;
  }

  // kNoTime if the class does not allow all of them.
  [[nodiscard]] std::int64_t OneDeviceBoundOn(std::size_t k,
                                              const std::vector<std::size_t>& ops) const {
    std::vector<OneDeviceOp> on_device;
    for (const std::size_t op : ops) {
      const std::size_t slot = op * times_.num_classes() + k;
      if (times_.time_ps[slot] >= kNoTime) {
        return kNoTime;
      }
      on_device.push_back(
          {.head_ps = heads_[slot], .time_ps = times_.time_ps[slot], .tail_ps = tails_[slot]});
    }
    return OneDeviceBound(std::move(on_device));
  }

  [[nodiscard]] std::int64_t Least(const std::vector<std::int64_t>& starts, std::size_t op) const {
    const auto first = starts.begin() + static_cast<std::ptrdiff_t>(op * times_.num_classes());
    return *std::min_element(first, first + static_cast<std::ptrdiff_t>(times_.num_classes()));
  }

  const OpGraph& graph_;
  BoundedPlans plans_;
  OpTimes times_;
  std::vector<std::vector<std::int64_t>> weights_;
  std::vector<std::int64_t> heads_;  // [num_ops, num_classes]
  std::vector<std::int64_t> tails_;  // the same
};

}  // namespace

SimTime ProblemBound(const OpGraph& graph,
                     const HardwareProfile& hardware,
                     const CostTable& costs,
                     const RouteTable& routes,
                     BoundedPlans plans) {
  return BoundSearch(graph, hardware, costs, routes, plans).Find();
}

}  // namespace opyard::sim
