#include "sim/engine/incremental/incremental_run.h"

#include <algorithm>
#include <optional>
#include <tuple>
#include <utility>

#include "sim/base/array_index.h"
#include "sim/engine/incremental/checkpoint.h"
#include "sim/engine/incremental/stream_difference.h"
#include "sim/engine/queues/never.h"
#include "sim/engine/rules.h"
#include "sim/engine/run/execution.h"
#include "sim/engine/run/run_setup.h"
#include "sim/engine/run/stream_setup.h"
#include "sim/engine/run/workspace_reset.h"

namespace opyard::sim {
namespace {

// One changed plan: the remembered one with `changes` made, and, if it has streams, those of
// `changed`, which may be the remembered one if it has none.
class Neighbour {
 public:
  Neighbour(const LoweredProblem& problem,
            const RunHistory& history,
            std::span<const OpChange> changes,
            const Plan& changed,
            Workspace& workspace)
      : p_(problem),
        g_(problem.unfused),
        history_(history),
        changes_(changes),
        changed_(changed),
        w_(workspace) {}

  // The last state before any change takes effect; none if that is the beginning, or if the plan
  // has to be checked as a whole.
  [[nodiscard]] const Checkpoint* FindStart() {
    if (!history_.has_states ||
        !std::ranges::all_of(changes_, [&](const OpChange& change) { return IsEasy(change); }) ||
        !KeepsColocations()) {
      return nullptr;
    }
    std::int64_t first_effect_ps = kNever;
    if (HasStreams(changed_.queue)) {
      if (!FindStreamsOfPlan(p_, changed_, w_)) {
        return nullptr;
      }
      first_effect_ps = FirstEffectOfStreams(history_, w_.scratch.streams);
    }
    for (const OpChange& change : changes_) {
      first_effect_ps = std::min(first_effect_ps, FirstEffect(change));
    }
    const Checkpoint* best = nullptr;
    for (std::size_t i = 0; i < history_.num_checkpoints; ++i) {
      const Checkpoint& checkpoint = history_.checkpoints[i];
      best = checkpoint.progress.now_ps < first_effect_ps ? &checkpoint : best;
    }
    return best;
  }

  // Brings the workspace into the state of `start`, with the changes made. False if the changed
  // plan would have run out of memory before.
  [[nodiscard]] bool Resume(const Checkpoint& start) {
    w_.prepared.graph = &g_;
    w_.prepared.fused = nullptr;
    w_.prepared.keys = history_.keys;
    num_settled_ = start.settled.num_kernels;
    const auto first = static_cast<std::ptrdiff_t>(num_settled_);
    w_.state.kernels.resize(g_.num_kernels);
    std::copy(
        history_.kernels.begin() + first, history_.kernels.end(), w_.state.kernels.begin() + first);
    w_.prepared.device_total_ps = history_.device_total_ps;
    ready_sizes_ = history_.ready_sizes;
    w_.prepared.queue_sizes = history_.pair_sizes;
    param_shift_.assign(p_.num_devices, 0);
    for (const OpChange& change : changes_) {
      MoveKernel(KernelOf(change), change);
    }
    LayStreams(changed_, w_);
    w_.prepared.transfer_turns.clear();
    ResetQueues(p_, ready_sizes_, w_);
    MakeRoom(p_, w_);
    RestoreState(start, w_);
    return MoveParams();
  }

 private:
  struct Labelled {
    std::int32_t kernel = 0;
    std::size_t change = 0;  // of `changes_`
  };

  [[nodiscard]] std::int32_t KernelOf(const OpChange& change) const {
    return p_.graph->topological_index(change.op);
  }

  // True for a change that can be made without a check of other ops but those of its label.
  [[nodiscard]] bool IsEasy(const OpChange& change) const {
    const std::int32_t kernel = KernelOf(change);
    const std::int32_t device = change.device.value;
    return device >= 0 && At(device) < p_.num_devices && p_.Duration(At(kernel), At(device)) >= 0 &&
           HasLegalPriority(change) &&
           (!history_.keys.is_narrow || history_.keys.Fits(NegatedPriority(change)));
  }

  // True if the ops of each label are on one device as before, or have all gone to another.
  [[nodiscard]] bool KeepsColocations() {
    if (p_.num_labels == 0) {
      return true;
    }
    CollectLabelled();
    for (std::size_t first = 0, end = 0; first < labelled_.size(); first = end) {
      const auto [label, device] = LabelAndDevice(labelled_[first]);
      bool is_together = true;
      for (; end < labelled_.size() && LabelAndDevice(labelled_[end]).first == label; ++end) {
        is_together = is_together && LabelAndDevice(labelled_[end]).second == device;
      }
      const bool stays = history_.kernels[At(labelled_[first].kernel)].device == device;
      if (!is_together || (!stays && end - first != At(p_.ops_with_label[At(label)]))) {
        return false;
      }
    }
    return true;
  }

  // Each changed kernel with a label once, with the last of its changes; by label.
  void CollectLabelled() {
    labelled_.clear();
    for (std::size_t i = 0; i < changes_.size(); ++i) {
      const std::int32_t kernel = KernelOf(changes_[i]);
      if (p_.colocation[At(kernel)] >= 0) {
        labelled_.push_back({.kernel = kernel, .change = i});
      }
    }
    std::ranges::sort(labelled_, [&](const Labelled& a, const Labelled& b) {
      return std::tuple(p_.colocation[At(a.kernel)], a.kernel, b.change) <
             std::tuple(p_.colocation[At(b.kernel)], b.kernel, a.change);
    });
    const auto repeated = std::ranges::unique(labelled_, {}, &Labelled::kernel);
    labelled_.erase(repeated.begin(), repeated.end());
  }

  [[nodiscard]] std::pair<std::int32_t, std::int32_t> LabelAndDevice(
      const Labelled& labelled) const {
    return {p_.colocation[At(labelled.kernel)], changes_[labelled.change].device.value};
  }

  [[nodiscard]] bool HasLegalPriority(const OpChange& change) const {
    return history_.plan.op_priority.empty() ||
           (change.priority >= -kLargestPriority && change.priority <= kLargestPriority);
  }

  // The first instant at which the run reads what has changed. A kernel's device matters as soon as
  // something that it waits for is done; its priority when something is done that has to be sent
  // to it, or when all that it waits for is. Neither matters to a kernel that waits for its
  // release.
  [[nodiscard]] std::int64_t FirstEffect(const OpChange& change) const {
    const std::int32_t kernel = KernelOf(change);
    const std::int32_t device = history_.kernels[At(kernel)].device;
    const bool moves = device != change.device.value;
    std::int64_t first_ps = kNever;
    std::int64_t last_ps = g_.release_ps.empty() ? 0 : g_.release_ps[At(kernel)];
    const auto look_at = [&](std::int32_t producer, bool is_sent) {
      const std::int64_t finish_ps = history_.finish_ps[At(producer)];
      const bool is_remote = is_sent && history_.kernels[At(producer)].device != device;
      first_ps = moves || is_remote ? std::min(first_ps, finish_ps) : first_ps;
      last_ps = std::max(last_ps, finish_ps);
    };
    const Kernel& k = g_.kernels[At(kernel)];
    for (std::int32_t i = k.first_input; i < g_.kernels[At(kernel) + 1].first_input; ++i) {
      look_at(g_.edge_producer[At(g_.input_edges[At(i)])], true);
    }
    for (const OpId producer : p_.graph->control_inputs(p_.op_of[At(kernel)])) {
      look_at(p_.graph->topological_index(producer), false);
    }
    return std::min(first_ps, last_ps);
  }

  void MoveKernel(std::int32_t kernel, const OpChange& change) {
    KernelState& state = w_.state.kernels[At(kernel)];
    const std::int32_t from = state.device;
    const std::int32_t to = change.device.value;
    AddEdges(kernel, from, -1);
    AddEdges(kernel, to, 1);
    param_shift_[At(from)] -= p_.param_bytes[At(kernel)];
    param_shift_[At(to)] += p_.param_bytes[At(kernel)];
    --ready_sizes_[history_.keys.QueueOf(At(from), state.priority_part)];
    w_.prepared.device_total_ps[At(from)] -= state.duration_ps;
    state.device = to;
    state.duration_ps = p_.Duration(At(kernel), At(to));
    w_.prepared.device_total_ps[At(to)] += state.duration_ps;
    state.priority_part = history_.keys.PriorityPart(NegatedPriority(change));
    ++ready_sizes_[history_.keys.QueueOf(At(to), state.priority_part)];
  }

  [[nodiscard]] std::int64_t NegatedPriority(const OpChange& change) const {
    const bool has_priority =
        history_.plan.queue == QueueDiscipline::kPriority && !history_.plan.op_priority.empty();
    return has_priority ? -change.priority : 0;
  }

  // The workspace has the states of kernels that are not settled alone; only those are moved.
  [[nodiscard]] std::int32_t DeviceOf(std::int32_t kernel) const {
    return (At(kernel) < num_settled_ ? history_.kernels : w_.state.kernels)[At(kernel)].device;
  }

  // Counts the edges of the kernel, as if it were on `device`, `times` times.
  void AddEdges(std::int32_t kernel, std::int32_t device, std::int32_t times) {
    const Kernel& k = g_.kernels[At(kernel)];
    const Kernel& next = g_.kernels[At(kernel) + 1];
    for (std::int32_t i = k.first_input; i < next.first_input; ++i) {
      const std::size_t edge = At(g_.input_edges[At(i)]);
      AddEdge(edge, DeviceOf(g_.edge_producer[edge]), device, times);
    }
    const std::int32_t first = g_.tensors[At(k.first_output)].first_consumer;
    const std::int32_t end = g_.tensors[At(next.first_output)].first_consumer;
    for (std::int32_t edge = first; edge < end; ++edge) {
      AddEdge(At(edge), device, DeviceOf(g_.consumers[At(edge)]), times);
    }
  }

  void AddEdge(std::size_t edge, std::int32_t src, std::int32_t dst, std::int32_t times) {
    const std::int32_t uses = g_.edge_uses.empty() ? 1 : g_.edge_uses[edge];
    w_.prepared.queue_sizes[At(src) * p_.num_devices + At(dst)] += times * uses;
  }

  // Parameters lie on their device from time 0, so the whole past of both devices shifts.
  [[nodiscard]] bool MoveParams() {
    bool fits = true;
    for (std::size_t d = 0; d < p_.num_devices; ++d) {
      w_.state.memory.ShiftPast(d, param_shift_[d]);
      fits = fits && w_.state.memory.account(d).peak <= w_.state.memory.account(d).capacity;
    }
    return fits;
  }

  const LoweredProblem& p_;
  const KernelGraph& g_;
  const RunHistory& history_;
  std::span<const OpChange> changes_;
  const Plan& changed_;
  Workspace& w_;
  std::vector<Labelled> labelled_;
  std::size_t num_settled_ = 0;  // kernels that had finished at the start
  std::vector<std::int32_t> ready_sizes_;
  std::vector<std::int64_t> param_shift_;  // [num_devices], bytes
};

// Nothing where the run has to begin at zero. Arguments as of Neighbour.
std::optional<SimResult> RunFromTheMiddle(const LoweredProblem& problem,
                                          const RunHistory& history,
                                          std::span<const OpChange> changes,
                                          const Plan& changed,
                                          SimTime limit,
                                          Workspace& workspace) {
  Neighbour neighbour(problem, history, changes, changed, workspace);
  const Checkpoint* start = neighbour.FindStart();
  if (start == nullptr || !neighbour.Resume(*start)) {
    return std::nullopt;
  }
  return ExecutePrepared(
      problem, history.plan, workspace, {.limit = limit, .from = &start->progress});
}

// True if two plans differ in nothing but devices and priorities of ops and in streams.
bool DiffersInOpsAlone(const Plan& plan, const Plan& changed) {
  return plan.queue == changed.queue && plan.placement.size() == changed.placement.size() &&
         plan.op_priority.size() == changed.op_priority.size() &&
         plan.transfer_priority == changed.transfer_priority &&
         plan.fusion_priority == changed.fusion_priority &&
         plan.fusion_region == changed.fusion_region &&
         plan.transfer_order == changed.transfer_order;
}

void CollectChanges(const Plan& plan, const Plan& changed, std::vector<OpChange>& changes) {
  changes.clear();
  for (std::size_t op = 0; op < plan.placement.size(); ++op) {
    const std::int64_t priority = plan.op_priority.empty() ? 0 : changed.op_priority[op];
    if (plan.placement[op] != changed.placement[op] ||
        (!plan.op_priority.empty() && plan.op_priority[op] != priority)) {
      changes.push_back({.op = OpId(op), .device = changed.placement[op], .priority = priority});
    }
  }
}

}  // namespace

bool SupportsCheckpoints(const LoweredProblem& problem, const Plan& plan) {
  return (problem.features | FeaturesOf(plan)).Allows(Question::kRememberedState);
}

SimResult RunWithCheckpoints(const LoweredProblem& problem,
                             const Plan& plan,
                             Workspace& workspace,
                             RunHistory& history) {
  PrepareRun(problem, plan, workspace);
  history.Begin(plan, workspace);
  history.has_states = SupportsCheckpoints(problem, plan);
  StateKeeper keeper = history.Keeper();
  history.result = ExecutePrepared(
      problem, plan, workspace, {.state_keeper = history.has_states ? &keeper : nullptr});
  return history.result;
}

SimResult ResimulateFrom(const LoweredProblem& problem,
                         const RunHistory& history,
                         const Plan& changed,
                         SimTime limit,
                         Workspace& workspace) {
  if (DiffersInOpsAlone(history.plan, changed)) {
    CollectChanges(history.plan, changed, workspace.scratch.changes);
    const auto from_the_middle =
        RunFromTheMiddle(problem, history, workspace.scratch.changes, changed, limit, workspace);
    if (from_the_middle.has_value()) {
      return *from_the_middle;
    }
  }
  PrepareRun(problem, changed, workspace);
  return ExecutePrepared(problem, changed, workspace, {.limit = limit});
}

SimResult ResimulateFrom(const LoweredProblem& problem,
                         const RunHistory& history,
                         std::span<const OpChange> changes,
                         SimTime limit,
                         Workspace& workspace) {
  const bool has_streams = HasStreams(history.plan.queue);
  if (!has_streams) {
    const auto from_the_middle =
        RunFromTheMiddle(problem, history, changes, history.plan, limit, workspace);
    if (from_the_middle.has_value()) {
      return *from_the_middle;
    }
  }
  Plan& changed = workspace.scratch.changed_plan;
  changed = history.plan;
  Apply(changes, changed);
  if (has_streams) {
    return ResimulateFrom(problem, history, changed, limit, workspace);
  }
  PrepareRun(problem, changed, workspace);
  return ExecutePrepared(problem, changed, workspace, {.limit = limit});
}

}  // namespace opyard::sim
