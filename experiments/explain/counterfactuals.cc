#include "experiments/explain/counterfactuals.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "env/evaluator.h"
#include "experiments/explain/decision_weights.h"

namespace opyard::experiments {
namespace {

constexpr std::size_t kOpRuns = 8'000'000;
constexpr std::size_t kFewestChanges = 64;
constexpr std::size_t kMostChanges = 1024;
constexpr std::size_t kMostDevices = 8;  // tried per group
constexpr std::size_t kBatch = 64;       // plans held at a time

using Change = std::variant<DeviceChange, PriorityChange>;

// One change of one decision.
struct Candidate {
  std::size_t decision = 0;  // in order of weight
  Change change;
};

// Lists the changes to try.
class CandidateList {
 public:
  CandidateList(const env::Problem& problem, const sim::SimulatedStep& step)
      : problem_(problem),
        graph_(step.graph),
        placement_(step.plan.placement),
        priorities_(step.plan.op_priority),
        most_(std::clamp(kOpRuns / graph_.num_ops(), kFewestChanges, kMostChanges)),
        ops_of_(static_cast<std::size_t>(problem.grouping().num_groups)) {
    for (std::size_t i = 0; i < graph_.num_ops(); ++i) {
      ops_of_[static_cast<std::size_t>(problem.grouping().group_of[i])].emplace_back(i);
    }
  }

  std::vector<Candidate> Fill(const std::vector<Decision>& decisions) {
    for (std::size_t i = 0; i < decisions.size() && candidates_.size() < most_; ++i) {
      if (decisions[i].kind == DecisionKind::kDevice) {
        AddDevices(i, decisions[i].subject);
      } else {
        AddPriorities(i, OpId(decisions[i].subject));
      }
    }
    candidates_.resize(std::min(candidates_.size(), most_));
    return std::move(candidates_);
  }

 private:
  void AddDevices(std::size_t decision, std::int32_t group) {
    const std::vector<OpId>& ops = ops_of_[static_cast<std::size_t>(group)];
    const DeviceId from = placement_[ops.front().index()];
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
        is_near[placement_[other.index()].index()] = true;
      });
    }
    const auto allowed = problem_.AllowedDevices(group);
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
      return problem_.grouping().group_of[op.index()] == group ? to : placement_[op.index()];
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
    const auto [least, greatest] = std::ranges::minmax(priorities_);
    for (const std::int64_t to : {greatest + 1, least - 1}) {
      if (to >= -sim::kLargestPriority && to <= sim::kLargestPriority) {
        candidates_.push_back(
            {decision, PriorityChange{.op = op, .from = priorities_[op.index()], .to = to}});
      }
    }
  }

  const env::Problem& problem_;
  const sim::OpGraph& graph_;
  const std::vector<DeviceId>& placement_;
  const std::vector<std::int64_t>& priorities_;
  const std::size_t most_;
  std::vector<std::vector<OpId>> ops_of_;  // by group
  std::vector<Candidate> candidates_;
};

sim::Plan Changed(sim::Plan plan, const Change& change) {
  if (const auto* device = std::get_if<DeviceChange>(&change)) {
    for (const OpId op : device->ops) {
      plan.placement[op.index()] = device->to;
    }
  } else if (const auto* priority = std::get_if<PriorityChange>(&change)) {
    plan.op_priority[priority->op.index()] = priority->to;
  }
  return plan;
}

// Simulates the candidates and keeps the best of each decision.
class Trial {
 public:
  Trial(env::Evaluator& evaluator, const sim::Plan& plan, std::size_t num_decisions)
      : evaluator_(evaluator), plan_(plan), best_(num_decisions) {}

  void Run(const std::vector<Candidate>& candidates) {
    for (std::size_t first = 0; first < candidates.size() && !evaluator_.is_done();
         first += kBatch) {
      RunBatch(std::span(candidates).subspan(first, std::min(kBatch, candidates.size() - first)));
    }
  }

  [[nodiscard]] Counterfactuals Answer(SimTime makespan) const {
    Counterfactuals answer{.num_tried = evaluator_.num_evaluations(),
                           .num_incomplete = evaluator_.num_failures(),
                           .was_interrupted = evaluator_.is_done()};
    for (const std::optional<Counterfactual>& best : best_) {
      if (best.has_value() && best->makespan != makespan) {
        (best->makespan < makespan ? answer.savings : answer.costs).push_back(*best);
      }
    }
    std::ranges::stable_sort(answer.savings, {}, &Counterfactual::makespan);
    std::ranges::stable_sort(answer.costs, std::ranges::greater(), &Counterfactual::makespan);
    for (std::vector<Counterfactual>* list : {&answer.savings, &answer.costs}) {
      list->resize(std::min(list->size(), Counterfactuals::kMostListed));
    }
    return answer;
  }

 private:
  void RunBatch(std::span<const Candidate> candidates) {
    std::vector<sim::Plan> plans;
    for (const Candidate& candidate : candidates) {
      plans.push_back(Changed(plan_, candidate.change));
    }
    const std::vector<env::Evaluation> evaluations = evaluator_.Evaluate(plans);
    for (std::size_t i = 0; i < evaluations.size(); ++i) {
      std::optional<Counterfactual>& best = best_[candidates[i].decision];
      const SimTime makespan = evaluations[i].result.makespan;
      if (evaluations[i].is_feasible() && (!best.has_value() || makespan < best->makespan)) {
        best = Counterfactual{.change = candidates[i].change, .makespan = makespan};
      }
    }
  }

  env::Evaluator& evaluator_;
  const sim::Plan& plan_;
  std::vector<std::optional<Counterfactual>> best_;  // by decision
};

}  // namespace

Counterfactuals FindCounterfactuals(std::shared_ptr<const env::Problem> problem,
                                    const sim::SimulatedStep& step,
                                    const sim::Timeline& timeline,
                                    std::span<const sim::CriticalPart> path,
                                    const CounterfactualOptions& options) {
  const std::vector<Decision> decisions = WeighDecisions(problem->grouping(), step, timeline, path);
  const std::vector<Candidate> candidates = CandidateList(*problem, step).Fill(decisions);
  env::Evaluator evaluator(std::move(problem),
                           {.num_threads = options.num_threads, .interrupt = options.interrupt});
  Trial trial(evaluator, step.plan, decisions.size());
  trial.Run(candidates);
  return trial.Answer(timeline.end);
}

}  // namespace opyard::experiments
