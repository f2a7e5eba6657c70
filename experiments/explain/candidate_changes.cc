#include "experiments/explain/candidate_changes.h"

#include <algorithm>
#include <utility>

namespace opyard::experiments {
namespace {

constexpr std::size_t kOpRuns = 8'000'000;
constexpr std::size_t kFewestChanges = 64;
constexpr std::size_t kMostChanges = 1024;
constexpr std::size_t kMostDevices = 8;  // tried per group

// Lists the changes to try.
class CandidateList {
 public:
  CandidateList(const env::Problem& problem,
                const sim::SimulatedStep& step,
                const sim::Timeline& timeline)
      : problem_(problem),
        graph_(step.graph),
        plan_(step.plan),
        timeline_(timeline),
        most_(std::clamp(kOpRuns / graph_.num_ops(), kFewestChanges, kMostChanges)),
        ops_of_(static_cast<std::size_t>(problem.grouping().num_groups)) {
    for (std::size_t i = 0; i < graph_.num_ops(); ++i) {
      ops_of_[static_cast<std::size_t>(problem.grouping().group_of[i])].emplace_back(i);
    }
  }

  std::vector<Candidate> Fill(const std::vector<Decision>& decisions) {
    for (std::size_t i = 0; i < decisions.size() && candidates_.size() < most_; ++i) {
      Add(i, decisions[i]);
    }
    candidates_.resize(std::min(candidates_.size(), most_));
    return std::move(candidates_);
  }

 private:
  void Add(std::size_t index, const Decision& decision) {
    switch (decision.kind) {
      case DecisionKind::kDevice:
        return AddDevices(index, decision.subject);
      case DecisionKind::kPriority:
        return AddPriorities(index, OpId(decision.subject));
      case DecisionKind::kTransfer:
        return AddTransferPriorities(index, static_cast<std::size_t>(decision.subject));
      case DecisionKind::kFusion:
        return AddFusion(index, decision.subject);
    }
  }

  void AddDevices(std::size_t decision, std::int32_t group) {
    const std::vector<OpId>& ops = ops_of_[static_cast<std::size_t>(group)];
    const DeviceId from = plan_.placement[ops.front().index()];
    std::size_t num_tried = 0;
    for (const DeviceId to : NeighboursFirst(group, ops)) {
      if (to != from && num_tried < kMostDevices && HasRoutes(ops, group, to)) {
        candidates_.push_back({decision, DeviceChange{.ops = ops, .from = from, .to = to}});
        ++num_tried;
      }
    }
  }

  // The devices that the group may use: those that hold what its ops read or serve, then the
  // others; each part in order.
  [[nodiscard]] std::vector<DeviceId> NeighboursFirst(std::int32_t group,
                                                      const std::vector<OpId>& ops) const {
    std::vector<bool> is_near(problem_.hardware().num_devices());
    for (const OpId op : ops) {
      ForEachNeighbour(op, [&](OpId /*src*/, OpId /*dst*/, OpId other) {
        is_near[plan_.placement[other.index()].index()] = true;
      });
    }
    const auto allowed = problem_.AllowedDevices(GroupId(group));
    std::vector<DeviceId> devices(allowed.begin(), allowed.end());
    std::ranges::stable_partition(devices, [&](DeviceId d) { return is_near[d.index()]; });
    return devices;
  }

  // True if every edge of the group has a route once its ops stand on `to`.
  [[nodiscard]] bool HasRoutes(const std::vector<OpId>& ops,
                               std::int32_t group,
                               DeviceId to) const {
    if (problem_.hardware().rules == sim::Rules::kRegal) {
      return true;
    }
    const auto device_of = [&](OpId op) {
      return problem_.grouping().group_of[op.index()] == group ? to : plan_.placement[op.index()];
    };
    bool has_all = true;
    for (const OpId op : ops) {
      ForEachNeighbour(op, [&](OpId src, OpId dst, OpId /*other*/) {
        const DeviceId from = device_of(src);
        const DeviceId onto = device_of(dst);
        has_all = has_all && (from == onto || problem_.routes().Find(from, onto) != nullptr);
      });
    }
    return has_all;
  }

  // Calls `visit(src, dst, other)` for each edge of `op`, whose other end is `other`.
  template <class Visit>
  void ForEachNeighbour(OpId op, const Visit& visit) const {
    for (const TensorId input : graph_.inputs(op)) {
      const OpId producer = graph_.tensor(input).producer;
      visit(producer, op, producer);
    }
    for (const OpId before : graph_.control_inputs(op)) {
      visit(before, op, before);
    }
    for (std::size_t i = 0; i < graph_.num_outputs(op); ++i) {
      for (const OpId consumer : graph_.consumers(graph_.output(op, i))) {
        visit(op, consumer, consumer);
      }
    }
    for (const OpId consumer : graph_.control_consumers(op)) {
      visit(op, consumer, consumer);
    }
  }

  void AddPriorities(std::size_t decision, OpId op) {
    const auto [least, greatest] = std::ranges::minmax(plan_.op_priority);
    for (const std::int64_t to : {greatest + 1, least - 1}) {
      if (IsPriority(to)) {
        candidates_.push_back(
            {decision, PriorityChange{.op = op, .from = plan_.op_priority[op.index()], .to = to}});
      }
    }
  }

  // Copies of which the plan says nothing have a priority of the ops that read them.
  void AddTransferPriorities(std::size_t decision, std::size_t entry) {
    const auto [first, last] =
        std::ranges::minmax(plan_.transfer_priority, {}, &sim::TransferPriority::priority);
    std::int64_t least = std::min<std::int64_t>(first.priority, 0);
    std::int64_t greatest = std::max<std::int64_t>(last.priority, 0);
    for (const std::int64_t priority : plan_.op_priority) {
      least = std::min(least, priority);
      greatest = std::max(greatest, priority);
    }
    const sim::TransferPriority& given = plan_.transfer_priority[entry];
    for (const std::int64_t to : {greatest + 1, least - 1}) {
      if (IsPriority(to)) {
        candidates_.push_back({decision,
                               TransferChange{.tensor = given.tensor,
                                              .destination = given.destination,
                                              .from = given.priority,
                                              .to = to}});
      }
    }
  }

  static bool IsPriority(std::int64_t value) {
    return value >= -sim::kLargestPriority && value <= sim::kLargestPriority;
  }

  // Those that are fused may decline, those that decline may be fused like the first.
  void AddFusion(std::size_t decision, std::int32_t group) {
    const std::vector<std::int32_t>& priorities = plan_.fusion_priority;
    FusionChange declines;
    FusionChange fuses{.to = std::max(std::ranges::max(priorities), 1)};
    for (const OpId op : ops_of_[static_cast<std::size_t>(group)]) {
      const auto kernel = static_cast<std::size_t>(timeline_.kernel_of[op.index()]);
      if (priorities[op.index()] == 0) {
        fuses.ops.push_back(op);
      } else if (timeline_.ops(kernel).size() > 1) {
        declines.ops.push_back(op);
        declines.from = std::max(declines.from, priorities[op.index()]);
      }
    }
    for (FusionChange* change : {&declines, &fuses}) {
      if (!change->ops.empty()) {
        candidates_.push_back({decision, std::move(*change)});
      }
    }
  }

  const env::Problem& problem_;
  const sim::OpGraph& graph_;
  const sim::Plan& plan_;
  const sim::Timeline& timeline_;
  const std::size_t most_;
  std::vector<std::vector<OpId>> ops_of_;  // by group
  std::vector<Candidate> candidates_;
};

}  // namespace

std::vector<Candidate> ListCandidates(const env::Problem& problem,
                                      const sim::SimulatedStep& step,
                                      const sim::Timeline& timeline,
                                      const std::vector<Decision>& decisions) {
  return CandidateList(problem, step, timeline).Fill(decisions);
}

}  // namespace opyard::experiments
