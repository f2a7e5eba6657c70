#include "sim/engine/run/run_setup.h"

#include <algorithm>
#include <limits>

#include "sim/base/array_index.h"
#include "sim/base/check.h"
#include "sim/base/error.h"
#include "sim/engine/queues/bit_set.h"
#include "sim/plan/validate.h"

namespace opyard::sim {
namespace {

// Prepares the parts of one workspace in order.
class RunSetup {
 public:
  RunSetup(const LoweredProblem& problem,
           const Plan& plan,
           Workspace& workspace,
           Recording recording)
      : p_(problem), plan_(plan), w_(workspace), recording_(recording) {}

  void Prepare() {
    w_.graph = &p_.unfused;
    FindPriorityRange();
    w_.keys = LayKeysOut();
    Place();
    if (!plan_.fusion_priority.empty()) {
      w_.graph = &FuseKernels(p_, plan_, w_.contraction);
    }
    if (w_.graph != &p_.unfused) {
      JoinKernels();
    }
    ResetStates();
    ResetTransfers();
    SizeQueues();
    SpreadTransferPriorities();
  }

 private:
  // Copies the placement into kernel order and checks it; what is wrong is looked up only then.
  void Place() {
    const bool fits = FitsInSize() && HasLegalPriorities() && PlaceOps() && KeepsColocations() &&
                      HasFusionPriorities();
    if (!fits || !plan_.transfer_priority.empty()) {
      ValidatePlan(*p_.graph, *p_.hardware, plan_);
      OPYARD_CHECK(fits, "the engine refuses a plan that ValidatePlan accepts");
    }
    if (!plan_.fusion_priority.empty() && !p_.features.Allows(Question::kFusion)) {
      throw UnsupportedError("plan: fusion_priority: machine " + p_.hardware->name + " has " +
                             p_.features.Objections(Question::kFusion).front() +
                             ", under which nothing fuses");
    }
  }

  [[nodiscard]] bool FitsInSize() const {
    return plan_.placement.size() == p_.num_ops &&
           (plan_.op_priority.empty() || plan_.op_priority.size() == p_.num_ops) &&
           (plan_.fusion_priority.empty() || plan_.fusion_priority.size() == p_.num_ops);
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
    return std::ranges::all_of(plan_.fusion_priority, [](std::int32_t priority) {
      return priority >= 0 && priority <= kLargestFusionPriority;
    });
  }

  [[nodiscard]] bool IsPrioritised() const {
    return plan_.queue == QueueDiscipline::kPriority && !plan_.op_priority.empty();
  }

  // Narrow where the build without options serves and they fit: they tell which build runs.
  [[nodiscard]] KeyLayout LayKeysOut() const {
    static_assert(NumWords(KernelEnds::kMostDevices * KernelEnds::kMostDevices) == 1,
                  "without options a set of pairs of devices is one word");
    FeatureSet features = p_.features | FeaturesOf(plan_);
    features.AddIf(recording_ == Recording::kYes, Feature::kRecording);
    if (!features.Allows(Question::kLeanBuild) || !HasLegalPriorities()) {
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
    w_.kernels.resize(p_.num_ops);
    w_.device_of.resize(p_.num_ops);
    const KeyLayout keys = w_.keys;
    w_.num_ready.assign(p_.num_devices * keys.num_levels(), 0);
    const std::uint64_t fifo_part = keys.PriorityPart(0);
    const bool is_prioritised = IsPrioritised();
    for (std::size_t k = 0; k < p_.num_ops; ++k) {
      const std::size_t op = p_.op_of[k].index();
      const std::int32_t device = plan_.placement[op].value;
      if (device < 0 || At(device) >= p_.num_devices) {
        return false;
      }
      const std::int64_t duration_ps = p_.Duration(k, At(device));
      if (duration_ps < 0) {
        return false;
      }
      const std::uint64_t priority_part =
          is_prioritised ? keys.PriorityPart(-plan_.op_priority[op]) : fifo_part;
      w_.kernels[k] = {.duration_ps = duration_ps,
                       .priority_part = priority_part,
                       .device = device,
                       .pending = p_.unfused.num_dependencies[k]};
      w_.device_of[k] = static_cast<std::uint16_t>(device);
      ++w_.num_ready[keys.QueueOf(At(device), priority_part)];
    }
    return true;
  }

  [[nodiscard]] bool KeepsColocations() {
    w_.label_device.assign(p_.num_labels, DeviceState::kNone);
    for (std::size_t k = 0; k < p_.colocation.size(); ++k) {
      if (p_.colocation[k] < 0) {
        continue;
      }
      std::int32_t& shared = w_.label_device[At(p_.colocation[k])];
      if (shared != DeviceState::kNone && shared != w_.kernels[k].device) {
        return false;
      }
      shared = w_.kernels[k].device;
    }
    return true;
  }

  // Puts the states of kernels in place of those of their ops. Kernel i holds no op before i, so
  // what is overwritten has been read.
  void JoinKernels() {
    const Kernels& kernels = w_.contraction.fusion.kernels;
    for (std::size_t i = 0; i < kernels.num_kernels; ++i) {
      const auto ops = kernels.ops_of(i);
      KernelState joined = w_.kernels[At(ops.front())];
      joined.pending = w_.graph->num_dependencies[i];
      if (ops.size() > 1) {
        joined.duration_ps =
            p_.fused_cost->Time(kernels, w_.contraction.is_internal, i, DeviceId(joined.device))
                .picoseconds;
        for (const std::int32_t op : ops) {
          joined.priority_part = std::min(joined.priority_part, w_.kernels[At(op)].priority_part);
        }
      }
      w_.kernels[i] = joined;
      w_.device_of[i] = static_cast<std::uint16_t>(joined.device);
    }
    w_.kernels.resize(kernels.num_kernels);
  }

  void ResetStates() {
    const std::size_t num_devices = p_.num_devices;
    w_.devices.assign(num_devices, {});
    w_.kernel_ends.Reset(num_devices);
    w_.idle_devices.assign(NumWords(num_devices), 0);
    for (std::size_t d = 0; d < num_devices; ++d) {
      InsertBit(BitWords<std::dynamic_extent>(w_.idle_devices), d);
    }
    w_.ready_devices.assign(NumWords(num_devices), 0);
    w_.ready_instant.resize(p_.rules.dispatch_ps > 0 ? w_.graph->num_kernels : 0);
    ResetScratch(p_, w_);
    w_.memory.Reset(p_.capacity_bytes);
  }

  void ResetTransfers() {
    w_.waiting_pairs.assign(p_.pair_words, 0);
    w_.active_pairs.assign(p_.pair_words, 0);
    w_.blocked_pairs.assign(p_.pair_words, 0);
    w_.transfers.clear();
  }

  // Gives each pair of devices room for the edges between them.
  void SizeQueues() {
    const KernelGraph& g = *w_.graph;
    w_.queue_sizes.assign(p_.num_devices * p_.num_devices, 0);
    for (std::size_t edge = 0; edge < g.num_edges(); ++edge) {
      const std::size_t src = w_.device_of[At(g.edge_producer[edge])];
      const std::size_t dst = w_.device_of[At(g.consumers[edge])];
      const std::int32_t uses = g.edge_uses.empty() ? 1 : g.edge_uses[edge];
      w_.queue_sizes[src * p_.num_devices + dst] += uses;
    }
    if (p_.features.Has(Feature::kMissingRoutes)) {
      EnsureRoutes();
    }
    ResetQueues(p_, w_.num_ready, w_);
    if (p_.rules.flows) {
      w_.flows.Reset(p_, w_.queue_sizes);
    }
  }

  // Data and control edges across devices need a route.
  void EnsureRoutes() const {
    const KernelGraph& g = *w_.graph;
    for (std::size_t pair = 0; pair < p_.routes.size(); ++pair) {
      const std::size_t src = pair / p_.num_devices;
      const std::size_t dst = pair % p_.num_devices;
      if (src != dst && w_.queue_sizes[pair] > 0 && !p_.routes[pair].exists) {
        throw PlanError("plan: an op on " + p_.hardware->devices[src].name + " feeds an op on " +
                        p_.hardware->devices[dst].name + ", but no route leads there");
      }
    }
    for (std::size_t k = 0; k < g.num_kernels; ++k) {
      const std::int32_t src = w_.kernels[k].device;
      for (std::int32_t i = g.kernels[k].first_control; i < g.kernels[k + 1].first_control; ++i) {
        const std::int32_t dst = w_.kernels[At(g.control_consumers[At(i)])].device;
        if (src != dst && !p_.route(src, dst).exists) {
          throw PlanError("plan: an op on " + p_.hardware->devices[At(dst)].name +
                          " waits for an op on " + p_.hardware->devices[At(src)].name +
                          ", but no route leads there");
        }
      }
    }
  }

  void SpreadTransferPriorities() {
    if (plan_.transfer_priority.empty()) {
      return;
    }
    w_.tensor_priority.resize(p_.tensor_of.size() * p_.num_devices);
    w_.has_tensor_priority.assign(p_.tensor_of.size() * p_.num_devices, 0);
    for (const TransferPriority& given : plan_.transfer_priority) {
      const std::size_t tensor = At(p_.lowered_tensor[given.tensor.index()]);
      const std::size_t entry = tensor * p_.num_devices + given.destination.index();
      w_.tensor_priority[entry] = given.priority;
      w_.has_tensor_priority[entry] = 1;
    }
  }

  const LoweredProblem& p_;
  const Plan& plan_;
  Workspace& w_;
  Recording recording_;
  std::int64_t least_priority_ = 0;  // of the plan's ops
  std::int64_t most_priority_ = 0;
};

template <class Key>
void ResetQueuesOf(const LoweredProblem& problem,
                   std::span<const std::int32_t> num_ready,
                   const Workspace& workspace,
                   RunQueues<Key>& queues) {
  const std::vector<std::int32_t>& num_waiting = workspace.queue_sizes;
  queues.ready.Reset(num_ready, workspace.keys);
  queues.waiting.Reserve(num_waiting.size(), problem.unfused.num_uses);
  queues.waiting.Reset(num_waiting);
  queues.scanned.clear();
  queues.scanned.reserve(problem.scans_transfers ? problem.unfused.num_uses : 0);
  queues.set_aside.reserve(problem.rules.waits_for_memory ? problem.num_ops : 0);
}

}  // namespace

void PrepareRun(const LoweredProblem& problem,
                const Plan& plan,
                Workspace& workspace,
                Recording recording) {
  RunSetup(problem, plan, workspace, recording).Prepare();
}

void ResetQueues(const LoweredProblem& problem,
                 std::span<const std::int32_t> num_ready,
                 Workspace& workspace) {
  if (workspace.keys.is_narrow) {
    ResetQueuesOf(problem, num_ready, workspace, workspace.narrow_queues);
  } else {
    ResetQueuesOf(problem, num_ready, workspace, workspace.wide_queues);
  }
}

void AddWorkUp(std::span<const KernelState> kernels,
               std::size_t num_devices,
               std::vector<std::int64_t>& total_ps) {
  total_ps.assign(num_devices, 0);
  for (const KernelState& kernel : kernels) {
    total_ps[At(kernel.device)] += kernel.duration_ps;
  }
}

// Room is made for what a plan without fusion needs, which is the most.
void ResetScratch(const LoweredProblem& problem, Workspace& workspace) {
  const KernelGraph& g = *workspace.graph;
  const KernelGraph& most = problem.unfused;
  const std::size_t num_devices = problem.num_devices;
  workspace.storages.reserve(most.num_tensors + most.num_uses + 1);
  workspace.storages.resize(g.num_tensors + g.num_uses + 1);
  workspace.storages.back() = {};
  workspace.storage_of_edge.reserve(most.num_edges());
  workspace.storage_of_edge.resize(g.num_edges());
  workspace.events.Reset(2 * num_devices + most.num_uses + most.control_consumers.size() +
                         (problem.rules.dispatch_ps > 0 ? most.num_kernels : 0) +
                         (problem.rules.is_placeto ? most.num_edges() : 0));
  workspace.transfers.reserve(most.num_uses);
  workspace.finished.reserve(num_devices);
  workspace.released.resize(most.num_kernels);
  workspace.remote.assign(num_devices, {});
  workspace.touched_devices.assign(NumWords(num_devices), 0);
}

std::optional<FailedAllocation> AllocateParams(const LoweredProblem& problem,
                                               Workspace& workspace) {
  for (const std::int32_t op : problem.ops_with_params) {
    const std::int64_t bytes = problem.param_bytes[At(op)];
    const std::int32_t device = workspace.kernels[workspace.KernelOf(problem, At(op))].device;
    if (!workspace.memory.Allocate(At(device), bytes, 0)) {
      return FailedAllocation{
          .what = FailedAllocation::What::kParams, .subject = op, .device = device, .bytes = bytes};
    }
  }
  return std::nullopt;
}

}  // namespace opyard::sim
