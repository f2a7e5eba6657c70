#include "sim/engine/run/run_setup.h"

#include <algorithm>

#include "sim/base/array_index.h"
#include "sim/base/check.h"
#include "sim/base/error.h"
#include "sim/engine/queues/bit_set.h"
#include "sim/engine/queues/kernel_ends.h"
#include "sim/engine/queues/queue_key.h"
#include "sim/engine/rules.h"
#include "sim/engine/run/copy_overheads.h"
#include "sim/engine/run/pool_setup.h"
#include "sim/engine/run/stream_setup.h"
#include "sim/engine/run/transfer_turns.h"
#include "sim/engine/run/workspace_reset.h"
#include "sim/plan/validate.h"

namespace opyard::sim {
namespace {

// Prepares the parts of one workspace in order.
class RunSetup {
 public:
  RunSetup(const LoweredProblem& problem,
           const Plan& plan,
           Workspace& workspace,
           Recording recording,
           bool is_stepwise)
      : p_(problem), plan_(plan), w_(workspace), recording_(recording), is_stepwise_(is_stepwise) {}

  void Prepare() {
    w_.prepared.graph = &p_.unfused;
    w_.prepared.fused = nullptr;
    FindPriorityRange();
    w_.prepared.keys = LayKeysOut();
    Place();
    if (is_stepwise_) {
      EnsureChoicesAreSimulated();
    }
    if (!plan_.fusion_priority.empty()) {
      w_.prepared.fused = FuseKernels(p_, plan_, w_.scratch.streams, w_.prepared.contraction);
    }
    if (w_.prepared.fused != nullptr) {
      w_.prepared.graph = &w_.prepared.fused->graph;
      JoinKernels();
    }
    LayBodies(p_, w_);
    if (!p_.copy_overheads.empty()) {
      AddCopyOverheads(p_, w_);
    }
    LayStreams(plan_, w_);
    ResetStates();
    ResetTransfers();
    SizeQueues();
  }

 private:
  // Copies the placement into kernel order and checks it; errors are listed only if that fails.
  void Place() {
    const bool fits = FitsInSize() && HasLegalPriorities() && PlaceOps() && KeepsColocations() &&
                      HasFusionPriorities() && SpreadTransferPriorities() &&
                      FindStreamsOfPlan(p_, plan_, w_) && LayTransferTurns(p_, plan_, w_);
    if (!fits) {
      ValidatePlan(*p_.graph, *p_.hardware, plan_);
      OPYARD_CHECK(fits, "the engine refuses a plan that ValidatePlan accepts");
    }
    if (!plan_.fusion_priority.empty() && !p_.features.Allows(Question::kFusion)) {
      throw UnsupportedError("plan: fusion_priority: machine " + p_.hardware->name + " has " +
                             p_.features.Objections(Question::kFusion).front() +
                             ", under which nothing fuses");
    }
  }

  void EnsureChoicesAreSimulated() const {
    const std::string machine = "machine " + p_.hardware->name + ": ";
    if (HasStreams(plan_.queue)) {
      throw UnsupportedError("plan: queue: no run of streams stops at choices");
    }
    if (!plan_.transfer_order.empty()) {
      throw UnsupportedError(
          "plan: transfer_order: no run with orders of channels stops at choices");
    }
    if (p_.rules.is_placeto) {
      throw UnsupportedError(machine + "under rules placeto no run stops at choices");
    }
    if (!has_open_ops_) {
      return;
    }
    if (p_.features.Has(Feature::kMissingRoutes)) {
      throw UnsupportedError(
          machine +
          "some devices have no route to others, so that ops cannot be placed as "
          "time goes on; expected a plan with a device for each op");
    }
    if (!p_.copy_overheads.empty()) {
      throw UnsupportedError(machine +
                             "copy_overhead and copy_bandwidth of devices: ops cannot be placed "
                             "as time goes on, since their times follow from where their readers "
                             "are; expected a plan with a device for each op");
    }
    if (!p_.pools.empty()) {
      throw UnsupportedError(machine +
                             "memory_pools: ops cannot be placed as time goes on, since kernels "
                             "that run end later as others begin; expected a plan with a device "
                             "for each op");
    }
    if (p_.rules.waits_for_memory) {
      throw UnsupportedError(machine +
                             "memory.on_exceed: under wait ops cannot be placed as time goes on, "
                             "since their parameters count from time 0; expected fail or ignore");
    }
    if (!plan_.fusion_priority.empty()) {
      throw UnsupportedError(
          "plan: fusion_priority: ops that are placed as time goes on do not fuse; expected none");
    }
  }

  [[nodiscard]] bool FitsInSize() const {
    return plan_.placement.size() == p_.num_ops &&
           (plan_.op_priority.empty() || plan_.op_priority.size() == p_.num_ops) &&
           (plan_.fusion_priority.empty() || plan_.fusion_priority.size() == p_.num_ops) &&
           (plan_.fusion_region.empty() || plan_.fusion_region.size() == p_.num_ops);
  }

  void FindPriorityRange() {
    if (plan_.op_priority.empty()) {
      return;
    }
    // Not std::minmax, which branches on what it compares.
    least_priority_ = most_priority_ = plan_.op_priority.front();
    for (const std::int64_t priority : plan_.op_priority) {
      least_priority_ = std::min(least_priority_, priority);
      most_priority_ = std::max(most_priority_, priority);
    }
  }

  [[nodiscard]] bool HasLegalPriorities() const {
    return least_priority_ >= -kLargestPriority && most_priority_ <= kLargestPriority;
  }

  [[nodiscard]] bool HasFusionPriorities() const {
    const auto is_legal = [](std::int32_t priority) {
      return priority >= 0 && priority <= kLargestFusionPriority;
    };
    return std::ranges::all_of(plan_.fusion_priority, is_legal) &&
           std::ranges::all_of(plan_.fusion_region, [](std::int32_t each) { return each >= 0; });
  }

  [[nodiscard]] bool IsPrioritised() const {
    return plan_.queue == QueueDiscipline::kPriority && !plan_.op_priority.empty();
  }

  // Narrow where the build without options serves and they fit: they decide which build runs.
  [[nodiscard]] KeyLayout LayKeysOut() const {
    static_assert(NumWords(KernelEnds::kMostDevices * KernelEnds::kMostDevices) == 1,
                  "without options a set of pairs of devices is one word");
    FeatureSet features = p_.features | FeaturesOf(plan_);
    features.AddIf(recording_ == Recording::kYes, Feature::kRecording);
    const bool fit_indices = std::max(p_.num_ops, p_.unfused.num_tensors) <= NarrowKey::kNumIndices;
    if (is_stepwise_ || !fit_indices || !features.Allows(Question::kLeanBuild) ||
        !HasLegalPriorities()) {
      return {};
    }
    // Kernels and transfers end, flows begin, control edges arrive.
    const std::uint64_t num_instants =
        1 + p_.num_ops + 2 * p_.unfused.num_uses + p_.unfused.control_consumers.size();
    if (!IsPrioritised()) {
      return KeyLayout::Narrow(0, 0, num_instants);
    }
    return KeyLayout::Narrow(-most_priority_, -least_priority_, num_instants);
  }

  [[nodiscard]] bool PlaceOps() {
    w_.state.kernels.resize(p_.num_ops);
    w_.prepared.device_of.resize(p_.num_ops);
    const KeyLayout keys = w_.prepared.keys;
    w_.prepared.num_ready.assign(p_.num_devices * keys.num_levels(), 0);
    const std::uint64_t fifo_part = keys.PriorityPart(0);
    const bool is_prioritised = IsPrioritised();
    for (std::size_t k = 0; k < p_.num_ops; ++k) {
      const std::size_t op = p_.op_of[k].index();
      const std::int32_t device = plan_.placement[op].value;
      if (device < 0 || At(device) >= p_.num_devices) [[unlikely]] {
        if (!is_stepwise_ || device != KernelState::kNoDevice) {
          return false;
        }
        LeaveOpen(k, fifo_part);
        continue;
      }
      const std::int64_t duration_ps = p_.Duration(k, At(device));
      if (duration_ps < 0) {
        return false;
      }
      const std::uint64_t priority_part =
          is_prioritised ? keys.PriorityPart(-plan_.op_priority[op]) : fifo_part;
      w_.state.kernels[k] = {.duration_ps = duration_ps,
                             .priority_part = priority_part,
                             .device = device,
                             .pending = p_.unfused.num_dependencies[k]};
      w_.prepared.device_of[k] = static_cast<std::uint16_t>(device);
      ++w_.prepared.num_ready[keys.QueueOf(At(device), priority_part)];
    }
    return true;
  }

  void LeaveOpen(std::size_t kernel, std::uint64_t priority_part) {
    has_open_ops_ = true;
    w_.state.kernels[kernel] = {.priority_part = priority_part,
                                .device = KernelState::kNoDevice,
                                .pending = p_.unfused.num_dependencies[kernel]};
  }

  [[nodiscard]] bool KeepsColocations() {
    w_.scratch.label_device.assign(p_.num_labels, DeviceState::kNone);
    for (std::size_t k = 0; k < p_.colocation.size(); ++k) {
      if (p_.colocation[k] < 0 || w_.state.kernels[k].device == KernelState::kNoDevice) {
        continue;
      }
      std::int32_t& shared = w_.scratch.label_device[At(p_.colocation[k])];
      if (shared != DeviceState::kNone && shared != w_.state.kernels[k].device) {
        return false;
      }
      shared = w_.state.kernels[k].device;
    }
    return true;
  }

  // Puts the states of kernels in place of those of their ops. Kernel i holds no op before i, so
  // what is overwritten has been read.
  void JoinKernels() {
    const Kernels& kernels = w_.prepared.fused->kernels;
    for (std::size_t i = 0; i < kernels.num_kernels; ++i) {
      const auto ops = kernels.ops_of(i);
      KernelState joined = w_.state.kernels[At(ops.front())];
      joined.pending = w_.prepared.graph->num_dependencies[i];
      joined.duration_ps = w_.prepared.fused->duration_ps[i];
      for (const std::int32_t op : ops) {
        joined.priority_part =
            std::min(joined.priority_part, w_.state.kernels[At(op)].priority_part);
      }
      w_.state.kernels[i] = joined;
      w_.prepared.device_of[i] = static_cast<std::uint16_t>(joined.device);
    }
    w_.state.kernels.resize(kernels.num_kernels);
  }

  void ResetStates() {
    const std::size_t num_devices = p_.num_devices;
    w_.state.devices.assign(num_devices, {});
    w_.state.kernel_ends.Reset(num_devices);
    w_.state.idle_devices.assign(NumWords(num_devices), 0);
    for (std::size_t d = 0; d < num_devices; ++d) {
      InsertBit(BitWords<std::dynamic_extent>(w_.state.idle_devices), d);
    }
    w_.state.ready_devices.assign(NumWords(num_devices), 0);
    w_.state.ready_instant.resize(
        p_.rules.dispatch_ps > 0 || HasStreams(plan_.queue) ? w_.prepared.graph->num_kernels : 0);
    MakeRoom(p_, w_);
    w_.state.memory.Reset(p_.capacity_bytes);
    ResetPools(p_, w_);
    if (is_stepwise_) {
      ResetChoices();
    }
  }

  void ResetChoices() {
    OpenChoices& choices = w_.state.choices;
    choices.ready.resize(p_.num_devices);
    for (std::vector<std::int32_t>& ready : choices.ready) {
      ready.clear();
    }
    choices.kernel_end_ps.assign(p_.num_devices, 0);
    choices.unplaced.clear();
  }

  void ResetTransfers() {
    w_.state.waiting_pairs.assign(p_.pair_words, 0);
    w_.state.active_pairs.assign(p_.pair_words, 0);
    w_.state.blocked_pairs.assign(p_.pair_words, 0);
    w_.state.transfers.clear();
  }

  // Gives each pair of devices room for the edges between them.
  void CountEdges() {
    const KernelGraph& g = *w_.prepared.graph;
    w_.prepared.queue_sizes.assign(p_.num_devices * p_.num_devices, 0);
    for (std::size_t edge = 0; edge < g.num_edges(); ++edge) {
      const std::size_t src = w_.prepared.device_of[At(g.edge_producer[edge])];
      const std::size_t dst = w_.prepared.device_of[At(g.consumers[edge])];
      const std::int32_t uses = g.edge_uses.empty() ? 1 : g.edge_uses[edge];
      w_.prepared.queue_sizes[src * p_.num_devices + dst] += uses;
    }
  }

  void SizeQueues() {
    if (has_open_ops_) {  // any edge may be between any two
      w_.prepared.queue_sizes.assign(p_.num_devices * p_.num_devices, Size32(p_.unfused.num_uses));
    } else {
      CountEdges();
    }
    if (p_.features.Has(Feature::kMissingRoutes)) {
      EnsureRoutes();
    }
    ResetQueues(p_, w_.prepared.num_ready, w_);
    if (p_.rules.flows) {
      w_.state.flows.Reset(p_, w_.prepared.queue_sizes);
    }
  }

  // Data and control edges across devices need a route.
  void EnsureRoutes() const {
    const KernelGraph& g = *w_.prepared.graph;
    for (std::size_t pair = 0; pair < p_.routes.size(); ++pair) {
      const std::size_t src = pair / p_.num_devices;
      const std::size_t dst = pair % p_.num_devices;
      if (src != dst && w_.prepared.queue_sizes[pair] > 0 && !p_.routes[pair].exists) {
        throw PlanError("plan: an op on " + p_.hardware->devices[src].name + " feeds an op on " +
                        p_.hardware->devices[dst].name + ", but no route leads there");
      }
    }
    for (std::size_t k = 0; k < g.num_kernels; ++k) {
      const std::int32_t src = w_.state.kernels[k].device;
      for (std::int32_t i = g.kernels[k].first_control; i < g.kernels[k + 1].first_control; ++i) {
        const std::int32_t dst = w_.state.kernels[At(g.control_consumers[At(i)])].device;
        if (src != dst && !p_.route(src, dst).exists) {
          throw PlanError("plan: an op on " + p_.hardware->devices[At(dst)].name +
                          " waits for an op on " + p_.hardware->devices[At(src)].name +
                          ", but no route leads there");
        }
      }
    }
  }

  // False if one is not legal, or is given twice.
  [[nodiscard]] bool SpreadTransferPriorities() {
    if (plan_.transfer_priority.empty()) {
      return true;
    }
    w_.prepared.tensor_priority.resize(p_.tensor_of.size() * p_.num_devices);
    w_.prepared.has_tensor_priority.assign(p_.tensor_of.size() * p_.num_devices, 0);
    for (const TransferPriority& given : plan_.transfer_priority) {
      // Negative indices are greater than any.
      if (given.tensor.index() >= p_.lowered_tensor.size() ||
          given.destination.index() >= p_.num_devices || given.priority < -kLargestPriority ||
          given.priority > kLargestPriority) {
        return false;
      }
      const std::size_t tensor = At(p_.lowered_tensor[given.tensor.index()]);
      const std::size_t entry = tensor * p_.num_devices + given.destination.index();
      if (w_.prepared.has_tensor_priority[entry] != 0) {
        return false;
      }
      w_.prepared.tensor_priority[entry] = given.priority;
      w_.prepared.has_tensor_priority[entry] = 1;
    }
    return true;
  }

  const LoweredProblem& p_;
  const Plan& plan_;
  Workspace& w_;
  Recording recording_;
  bool is_stepwise_;
  bool has_open_ops_ = false;
  std::int64_t least_priority_ = 0;  // of the plan's ops
  std::int64_t most_priority_ = 0;
};

}  // namespace

void PrepareRun(const LoweredProblem& problem,
                const Plan& plan,
                Workspace& workspace,
                Recording recording) {
  RunSetup(problem, plan, workspace, recording, false).Prepare();
}

void PrepareStepwiseRun(const LoweredProblem& problem, const Plan& plan, Workspace& workspace) {
  RunSetup(problem, plan, workspace, Recording::kNo, true).Prepare();
}

}  // namespace opyard::sim
