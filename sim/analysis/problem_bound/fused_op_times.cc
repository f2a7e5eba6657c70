#include "sim/analysis/problem_bound/fused_op_times.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "sim/base/array_index.h"
#include "sim/cost/zero_cost.h"

namespace opyard::sim {
namespace {

// Disjoint sets of ops, by union.
class OpSets {
 public:
  explicit OpSets(std::size_t num_ops) : parent_(num_ops) {
    for (std::size_t op = 0; op < num_ops; ++op) {
      parent_[op] = op;
    }
  }
  std::size_t SetOf(std::size_t op) {
    while (parent_[op] != op) {
      parent_[op] = parent_[parent_[op]];
      op = parent_[op];
    }
    return op;
  }
  void Unite(std::size_t a, std::size_t b) { parent_[SetOf(a)] = SetOf(b); }

 private:
  std::vector<std::size_t> parent_;
};

// A kernel takes launch + (F^q + M^q)^(1/q) ≥ launch + αF + βM for each of these (α, β): F and M
// are sums over its ops, and q ≥ 1 is the greatest of the group.
struct Share {
  double flop = 1.0;
  double byte = 0.0;
};

class LeastTimes {
 public:
  LeastTimes(const OpGraph& graph,
             const KernelGroups& groups,
             const CostTable& costs,
             DeviceId device)
      : graph_(graph), groups_(groups), costs_(costs), device_(device), least_s_(graph.num_ops()) {}

  std::vector<SimTime> Find() {
    for (const std::vector<OpId>& group : groups_.groups) {
      if (group.size() == 1) {
        least_s_[group.front().index()] = -1.0;
      } else if (std::ranges::any_of(group, [&](OpId op) { return cost(op).is_measured; })) {
        FindMeasured(group);
      } else {
        FindModelled(group);
      }
    }
    std::vector<SimTime> least;
    for (std::size_t op = 0; op < graph_.num_ops(); ++op) {
      least.push_back(least_s_[op] < 0.0
                          ? costs_.time(OpId(op), device_)
                          : SimTime{static_cast<std::int64_t>(std::floor(least_s_[op] * 1e12))});
    }
    return least;
  }

 private:
  [[nodiscard]] const OpCost& cost(OpId op) const { return costs_.cost(op, device_); }
  [[nodiscard]] bool IsHeavy(OpId op) const {
    return groups_.roles[op.index()] == FusionRole::kHeavy;
  }

  // No two of these share a kernel: the heavy ops of a group, or else its op of the greatest
  // `value`.
  template <class Value>
  std::vector<OpId> OpsApart(const std::vector<OpId>& group, const Value& value) const {
    std::vector<OpId> apart;
    std::ranges::copy_if(group, std::back_inserter(apart), [&](OpId op) { return IsHeavy(op); });
    if (apart.empty()) {
      apart.push_back(*std::ranges::max_element(group, {}, value));
    }
    return apart;
  }

  // A kernel with a measured op takes as long as its longest op and as its FLOP terms; one without
  // takes its launch and FLOP terms.
  void FindMeasured(const std::vector<OpId>& group) {
    double flops_s = 0.0;
    for (const OpId op : group) {
      flops_s += cost(op).flop_s;
    }
    const auto alone_s = [&](OpId op) {
      return cost(op).is_measured ? cost(op).total_s : cost(op).launch_s + cost(op).flop_s;
    };
    const std::vector<OpId> apart = OpsApart(group, alone_s);
    double apart_s = 0.0;
    for (const OpId op : apart) {
      apart_s += alone_s(op);
    }
    if (apart_s > flops_s) {
      for (const OpId op : apart) {
        least_s_[op.index()] = alone_s(op);
      }
      return;
    }
    for (const OpId op : group) {
      least_s_[op.index()] = cost(op).flop_s;
    }
  }

  // The one that makes the most of a group's sums.
  static Share BestShare(double flops_s, double bytes_s, double q) {
    const double even = std::pow(2.0, 1.0 / q - 1.0);
    const auto value = [&](const Share& share) {
      return share.flop * flops_s + share.byte * bytes_s;
    };
    return std::ranges::max({Share{.flop = 1.0, .byte = 0.0},
                             Share{.flop = 0.0, .byte = 1.0},
                             Share{.flop = even, .byte = even}},
                            {},
                            value);
  }

  // A kernel takes its launch, its FLOP terms and the traffic that cannot stay on chip.
  void FindModelled(const std::vector<OpId>& group) {
    double flops_s = 0.0;
    double bytes_s = 0.0;
    double q = 1.0;
    bool is_known = true;  // no op's saving counts for others: more than all its traffic
    std::vector<double> byte_s;
    for (const OpId op : group) {
      const double left = cost(op).byte_s - SavedSeconds(op);
      is_known = is_known && left >= -1e-9 * cost(op).byte_s;
      byte_s.push_back(std::max(left, 0.0));
      flops_s += cost(op).flop_s;
      bytes_s += byte_s.back();
      q = std::max(q, cost(op).q);
    }
    const Share best = is_known ? BestShare(flops_s, bytes_s, q) : Share{};
    for (std::size_t i = 0; i < group.size(); ++i) {
      least_s_[group[i].index()] = best.flop * cost(group[i]).flop_s + best.byte * byte_s[i];
    }
    for (const OpId op : OpsApart(group, [&](OpId member) { return cost(member).launch_s; })) {
      least_s_[op.index()] += cost(op).launch_s;
    }
  }

  // The most that fusing saves at `op`: what it reads of ops of its group, and what it makes for
  // these alone. A heavy op shares no kernel with an op that it reads.
  [[nodiscard]] double SavedSeconds(OpId op) const {
    if (IsZeroCost(graph_, op) && cost(op).total_s == 0.0) {
      return 0.0;  // a view
    }
    const std::int32_t group = groups_.group_of[op.index()];
    Bytes saved;
    for (const TensorId input : graph_.inputs(op)) {
      const OpId maker = graph_.tensor(input).producer;
      saved += !IsHeavy(op) && groups_.group_of[maker.index()] == group ? graph_.tensor(input).bytes
                                                                        : Bytes{};
    }
    for (std::size_t i = 0; i < graph_.num_outputs(op); ++i) {
      const TensorId output = graph_.output(op, i);
      const auto readers = graph_.consumers(output);
      const bool may_stay = !readers.empty() && !graph_.tensor(output).keep &&
                            std::ranges::all_of(readers, [&](OpId reader) {
                              return !IsHeavy(reader) && groups_.group_of[reader.index()] == group;
                            });
      saved += may_stay ? graph_.tensor(output).bytes : Bytes{};
    }
    return cost(op).bytes_per_s > 0.0 ? static_cast<double>(saved.count) / cost(op).bytes_per_s
                                      : 0.0;
  }

  const OpGraph& graph_;
  const KernelGroups& groups_;
  const CostTable& costs_;
  DeviceId device_;
  std::vector<double> least_s_;  // by OpId; negative: the op's own time
};

}  // namespace

KernelGroups FindKernelGroups(const OpGraph& graph, const FusionLimits& limits) {
  const FusionGraph fusion = PrepareFusion(graph, limits);
  OpSets sets(graph.num_ops());
  KernelGroups result;
  result.roles.resize(graph.num_ops());
  for (std::size_t k = 0; k < fusion.num_ops; ++k) {
    result.roles[fusion.op_of[k].index()] = fusion.roles[k];
    for (const std::int32_t other : fusion.candidates_of(Size32(k))) {
      sets.Unite(fusion.op_of[k].index(), fusion.op_of[At(other)].index());
    }
  }
  std::vector<std::int32_t> group_of_set(graph.num_ops(), -1);
  for (std::size_t op = 0; op < graph.num_ops(); ++op) {
    std::int32_t& group = group_of_set[sets.SetOf(op)];
    if (group < 0) {
      group = Size32(result.groups.size());
      result.groups.emplace_back();
    }
    result.group_of.push_back(group);
    result.groups[At(group)].emplace_back(op);
  }
  return result;
}

std::vector<SimTime> LeastTimesInKernels(const OpGraph& graph,
                                         const KernelGroups& groups,
                                         const CostTable& costs,
                                         DeviceId device) {
  return LeastTimes(graph, groups, costs, device).Find();
}

}  // namespace opyard::sim
