#include "sim/engine/lowering/contraction.h"

#include <algorithm>
#include <span>
#include <utility>

#include "sim/base/array_index.h"
#include "sim/fusion/internal_tensors.h"
#include "sim/fusion/stream_kernels.h"

namespace opyard::sim {
namespace {

constexpr std::size_t kManyOps = 100'000;

// Fills a KernelGraph kernel by kernel.
class Contraction {
 public:
  Contraction(const LoweredProblem& problem, FusedPlan& fused, ContractionWorkspace& workspace)
      : p_(problem),
        u_(problem.unfused),
        w_(workspace),
        g_(fused.graph),
        kernels_(fused.kernels),
        is_internal_(fused.is_internal) {}

  void Run() {
    MakeRoom();
    for (std::size_t i = 0; i < kernels_.num_kernels; ++i) {
      AddKernel(static_cast<std::int32_t>(i));
    }
    g_.tensors[At(num_tensors_)] = {.first_consumer = num_edges_};
    g_.kernels.back() = {.first_output = num_tensors_, .first_control = num_controls_};
    Trim();
    ConnectInputs(g_, w_.count);
    for (std::size_t t = 0; t < g_.num_tensors; ++t) {
      ResolveAlias(g_.tensors[t], g_.origin[t]);
    }
  }

 private:
  [[nodiscard]] bool IsInternal(std::int32_t tensor) const {
    return is_internal_[p_.tensor_of[At(tensor)].index()] != 0;
  }

  // Gives everything the size that it has in the graph without fusion, which is the most.
  void MakeRoom() {
    g_.num_kernels = kernels_.num_kernels;
    g_.num_uses = 0;
    g_.kernels.reserve(u_.kernels.size());
    g_.kernels.resize(kernels_.num_kernels + 1);
    g_.num_dependencies.reserve(u_.num_kernels);
    g_.sources.reserve(u_.num_kernels);
    g_.release_ps.clear();
    g_.release_ps.reserve(u_.release_ps.size());
    g_.tensors.resize(u_.tensors.size());
    g_.producer.resize(u_.num_tensors);
    g_.origin.resize(u_.num_tensors);
    g_.consumers.resize(u_.num_edges());
    g_.edge_producer.resize(u_.num_edges());
    g_.edge_uses.resize(u_.edge_uses.size());
    g_.input_edges.reserve(u_.num_edges());
    g_.control_consumers.resize(u_.control_consumers.size());
    for (std::vector<std::int32_t>* by_kernel : {&w_.last_edge, &w_.last_control, &w_.count}) {
      by_kernel->reserve(u_.num_kernels);
    }
    w_.last_edge.assign(kernels_.num_kernels, -1);
    w_.last_control.assign(kernels_.num_kernels, -1);
    w_.tensor_index.resize(u_.num_tensors);
    w_.edge_index.resize(u_.num_edges());
  }

  void Trim() {
    g_.num_tensors = At(num_tensors_);
    g_.tensors.resize(At(num_tensors_) + 1);
    g_.producer.resize(At(num_tensors_));
    g_.origin.resize(At(num_tensors_));
    g_.consumers.resize(At(num_edges_));
    g_.edge_producer.resize(At(num_edges_));
    if (!u_.edge_uses.empty()) {
      g_.edge_uses.resize(At(num_edges_));
    }
    g_.control_consumers.resize(At(num_controls_));
  }

  void AddKernel(std::int32_t kernel) {
    Kernel added{.first_output = num_tensors_, .first_control = num_controls_};
    for (const std::int32_t op : kernels_.ops_of(At(kernel))) {
      const Kernel& alone = u_.kernels[At(op)];
      const Kernel& after = u_.kernels[At(op) + 1];
      added.workspace_bytes = std::max(added.workspace_bytes, alone.workspace_bytes);
      for (std::int32_t t = alone.first_output; t < after.first_output; ++t) {
        if (!IsInternal(t)) {
          const KernelTensor& tensor = AddTensor(kernel, t);
          added.start_bytes += tensor.alias == Alias::kNone ? tensor.bytes : 0;
        }
      }
      for (std::int32_t c = alone.first_control; c < after.first_control; ++c) {
        AddControlEdge(kernel, added.first_control, u_.control_consumers[At(c)]);
      }
    }
    added.start_bytes += added.workspace_bytes;
    g_.kernels[At(kernel)] = added;
    if (!u_.release_ps.empty()) {
      AddRelease(kernel);
    }
  }

  // A kernel is ready once all of its ops may be.
  void AddRelease(std::int32_t kernel) {
    std::int64_t latest_ps = 0;
    for (const std::int32_t op : kernels_.ops_of(At(kernel))) {
      latest_ps = std::max(latest_ps, u_.release_ps[At(op)]);
    }
    g_.release_ps.push_back(latest_ps);
  }

  void AddControlEdge(std::int32_t kernel, std::int32_t first_of_kernel, std::int32_t op) {
    const std::int32_t follower = kernels_.kernel_of[At(op)];
    std::int32_t& last = w_.last_control[At(follower)];
    if (follower != kernel && last < first_of_kernel) {
      last = num_controls_;
      g_.control_consumers[At(num_controls_++)] = follower;
    }
  }

  const KernelTensor& AddTensor(std::int32_t kernel, std::int32_t tensor) {
    const KernelTensor& alone = u_.tensors[At(tensor)];
    w_.tensor_index[At(tensor)] = num_tensors_;
    g_.producer[At(num_tensors_)] = kernel;
    g_.origin[At(num_tensors_)] = tensor;
    KernelTensor& added = g_.tensors[At(num_tensors_++)];
    added = {.bytes = alone.bytes,
             .first_consumer = num_edges_,
             .alias = AliasOf(tensor),
             .keep = alone.keep,
             .aliases_params = alone.aliases_params};
    const std::int32_t end = u_.tensors[At(tensor) + 1].first_consumer;
    for (std::int32_t e = alone.first_consumer; e < end; ++e) {
      AddEdge(kernel, added.first_consumer, e);
    }
    return added;
  }

  [[nodiscard]] Alias AliasOf(std::int32_t tensor) const {
    if (u_.tensors[At(tensor)].alias != Alias::kInput) {
      return u_.tensors[At(tensor)].alias;
    }
    return p_.graph
        ->tensor(FollowInternalAliases(*p_.graph, is_internal_, p_.tensor_of[At(tensor)]))
        .alias;
  }

  // Edges to the ops of one kernel are one, unless each has a transfer of its own.
  void AddEdge(std::int32_t kernel, std::int32_t first_of_tensor, std::int32_t edge) {
    const std::int32_t reader = kernels_.kernel_of[At(u_.consumers[At(edge)])];
    if (reader == kernel) {
      return;
    }
    std::int32_t& last = w_.last_edge[At(reader)];
    if (p_.rules.one_per == OnePer::kEdge || last < first_of_tensor) {
      const std::int32_t uses = u_.edge_uses.empty() ? 1 : u_.edge_uses[At(edge)];
      last = num_edges_;
      g_.consumers[At(num_edges_)] = reader;
      g_.edge_producer[At(num_edges_)] = kernel;
      g_.num_uses += At(uses);
      if (!u_.edge_uses.empty()) {
        g_.edge_uses[At(num_edges_)] = uses;
      }
      ++num_edges_;
    }
    w_.edge_index[At(edge)] = last;
  }

  // An alias shares what its kernel reads, or what another output of its kernel lies in: that comes
  // before it, and is resolved already.
  void ResolveAlias(KernelTensor& tensor, std::int32_t origin) const {
    if (tensor.alias != Alias::kInput) {
      return;
    }
    const TensorId last = FollowInternalAliases(*p_.graph, is_internal_, p_.tensor_of[At(origin)]);
    const TensorId shared = p_.graph->tensor(last).aliased;
    const std::int32_t edge = u_.tensors[At(p_.lowered_tensor[last.index()])].alias_edge;
    const std::int32_t maker = u_.edge_producer[At(edge)];
    if (kernels_.kernel_of[At(maker)] != kernels_.kernel_of[At(u_.producer[At(origin)])]) {
      tensor.alias_edge = w_.edge_index[At(edge)];
      return;
    }
    const std::int32_t output = w_.tensor_index[At(p_.lowered_tensor[shared.index()])];
    const KernelTensor& other = g_.tensors[At(output)];
    tensor.alias = other.alias == Alias::kNone ? Alias::kInput : other.alias;
    tensor.alias_edge = other.alias_edge;
    tensor.alias_tensor = other.alias == Alias::kNone ? output : other.alias_tensor;
  }

  const LoweredProblem& p_;
  const KernelGraph& u_;
  ContractionWorkspace& w_;
  KernelGraph& g_;
  const Kernels& kernels_;
  std::span<const std::uint8_t> is_internal_;
  // So far.
  std::int32_t num_tensors_ = 0;
  std::int32_t num_edges_ = 0;
  std::int32_t num_controls_ = 0;
};

QueueDiscipline StreamQueueOf(const Plan& plan) {
  return HasStreams(plan.queue) ? plan.queue : QueueDiscipline::kFifo;
}

bool IsOf(const FusedPlan& fused, const LoweredProblem& problem, const Plan& plan) {
  return fused.problem == problem.serial && fused.placement == plan.placement &&
         fused.fusion_priority == plan.fusion_priority &&
         fused.fusion_region == plan.fusion_region && fused.streams == StreamQueueOf(plan) &&
         fused.order == plan.order;
}

// The kernel of `fused` that holds `ops` on `device`, or -1.
std::int32_t FindKernel(const FusedPlan& fused,
                        const LoweredProblem& problem,
                        std::span<const std::int32_t> ops,
                        DeviceId device) {
  const std::int32_t kernel = fused.kernels.kernel_of[At(ops.front())];
  const bool is_same = fused.placement[problem.op_of[At(ops.front())].index()] == device &&
                       std::ranges::equal(fused.kernels.ops_of(At(kernel)), ops);
  return is_same ? kernel : -1;
}

// Most kernels are as they were in the plan `before`, and take as long.
void TimeKernels(const LoweredProblem& problem, const FusedPlan* before, FusedPlan& fused) {
  fused.duration_ps.reserve(problem.num_ops);
  fused.duration_ps.resize(fused.kernels.num_kernels);
  for (std::size_t i = 0; i < fused.kernels.num_kernels; ++i) {
    const std::span<const std::int32_t> ops = fused.kernels.ops_of(i);
    const DeviceId device = fused.placement[problem.op_of[At(ops.front())].index()];
    if (ops.size() == 1) {
      fused.duration_ps[i] = problem.Duration(At(ops.front()), device.index());
      continue;
    }
    const std::int32_t known = before == nullptr ? -1 : FindKernel(*before, problem, ops, device);
    fused.duration_ps[i] =
        known >= 0
            ? before->duration_ps[At(known)]
            : problem.fused_cost->Time(fused.kernels, fused.is_internal, i, device).picoseconds;
  }
}

// The plan of `recent` used last, if it is of the problem.
const FusedPlan* FindLastUsed(const LoweredProblem& problem, std::span<const FusedPlan> recent) {
  const FusedPlan& last = *std::ranges::max_element(recent, {}, &FusedPlan::last_use);
  return last.problem == problem.serial ? &last : nullptr;
}

// How many ops two placements of the same ops differ in; at most `most`, where counting ends.
std::size_t NumMoved(const OpPlacement& a, const OpPlacement& b, std::size_t most) {
  std::size_t num_moved = 0;
  for (std::size_t op = 0; op < a.size() && num_moved < most; ++op) {
    num_moved += a[op] != b[op] ? 1U : 0U;
  }
  return num_moved;
}

// The plan of `recent` with the fusion choices of `plan` that differs least from it, if any.
FusedPlan* FindSimilar(const LoweredProblem& problem,
                       const Plan& plan,
                       std::span<FusedPlan> recent) {
  FusedPlan* similar = nullptr;
  std::size_t fewest = problem.num_ops;
  for (FusedPlan& fused : recent) {
    if (fused.problem != problem.serial || HasStreams(fused.streams) ||
        fused.fusion_priority != plan.fusion_priority ||
        fused.fusion_region != plan.fusion_region) {
      continue;
    }
    const std::size_t num_moved = NumMoved(fused.placement, plan.placement, fewest);
    if (num_moved < fewest) {
      fewest = num_moved;
      similar = &fused;
    }
  }
  return similar;
}

// Repeats the fusion of `similar`, which may be null, in `workspace.fusion`; false if it cannot.
bool RepeatFusion(const LoweredProblem& problem,
                  const FusedPlan* similar,
                  const Plan& plan,
                  ContractionWorkspace& workspace) {
  if (similar == nullptr) {
    return false;
  }
  const PastFusion past{.placement = similar->placement,
                        .kernels = similar->kernels,
                        .log = similar->log,
                        .region = plan.fusion_region};
  return ReplayFusion(problem.fusion,
                      past,
                      plan.placement,
                      plan.fusion_priority,
                      workspace.fusion,
                      workspace.replay);
}

// Of a fusion that was repeated: only what clean kernels make is as it was.
void UpdateInternalTensors(const LoweredProblem& problem,
                           const FusedPlan& similar,
                           const ReplayWorkspace& replay,
                           FusedPlan& fused) {
  fused.is_internal = similar.is_internal;
  for (const std::int32_t kernel : replay.clusters.dirty()) {
    for (const std::int32_t op : similar.kernels.ops_of(At(kernel))) {
      FindInternalOutputs(*problem.graph, fused.kernels, op, fused.is_internal);
    }
  }
}

// Repeats the fusion of `similar` and takes times of kernels from `before`; either may be null.
void MakeFusedPlan(const LoweredProblem& problem,
                   const Plan& plan,
                   const Streams& streams,
                   const FusedPlan* similar,
                   const FusedPlan* before,
                   ContractionWorkspace& workspace,
                   FusedPlan& fused) {
  fused.problem = 0;  // of none until it is whole
  fused.placement = plan.placement;
  fused.fusion_priority = plan.fusion_priority;
  fused.fusion_region = plan.fusion_region;
  fused.streams = StreamQueueOf(plan);
  fused.order = plan.order;
  const bool is_repeated = RepeatFusion(problem, similar, plan, workspace);
  if (!is_repeated) {
    FusionWorkspace& fusion = workspace.fusion;
    Fuse(problem.fusion, plan.placement, plan.fusion_priority, fusion, plan.fusion_region);
  }
  if (HasStreams(plan.queue)) {
    TakeApartForStreams(problem.fusion, streams, workspace.fusion.kernels);
  }
  std::swap(fused.kernels, workspace.fusion.kernels);
  std::swap(fused.log, workspace.fusion.log);
  if (is_repeated) {
    UpdateInternalTensors(problem, *similar, workspace.replay, fused);
  } else {
    FindInternalTensors(*problem.graph, fused.kernels, fused.is_internal);
  }
  if (fused.kernels.num_kernels < problem.num_ops) {
    Contraction(problem, fused, workspace).Run();
    TimeKernels(problem, before, fused);
  }
  fused.problem = problem.serial;
}

// The plan of `recent` that was used longest ago, `kept` left out; null if there is no other.
FusedPlan* FindOldest(std::span<FusedPlan> recent, const FusedPlan* kept) {
  FusedPlan* oldest = nullptr;
  for (FusedPlan& fused : recent) {
    if (&fused != kept && (oldest == nullptr || fused.last_use < oldest->last_use)) {
      oldest = &fused;
    }
  }
  return oldest;
}

// Makes the fused plan of `plan` in place of the oldest.
FusedPlan& AddFusedPlan(const LoweredProblem& problem,
                        const Plan& plan,
                        const Streams& streams,
                        std::span<FusedPlan> recent,
                        ContractionWorkspace& workspace) {
  FusedPlan* similar =
      recent.size() > 1 && !HasStreams(plan.queue) ? FindSimilar(problem, plan, recent) : nullptr;
  if (similar != nullptr) {
    similar->last_use = ++workspace.num_uses;
  }
  const FusedPlan* before = FindLastUsed(problem, recent);
  FusedPlan& fused = *FindOldest(recent, similar);
  MakeFusedPlan(
      problem, plan, streams, similar, before == &fused ? nullptr : before, workspace, fused);
  return fused;
}

}  // namespace

const FusedPlan* FuseKernels(const LoweredProblem& problem,
                             const Plan& plan,
                             const Streams& streams,
                             ContractionWorkspace& workspace) {
  // Large graphs keep one alone: memory is dearer there.
  const auto recent =
      std::span(workspace.recent).first(problem.num_ops > kManyOps ? 1 : workspace.recent.size());
  const auto known = std::ranges::find_if(
      recent, [&](const FusedPlan& fused) { return IsOf(fused, problem, plan); });
  FusedPlan& fused =
      known != recent.end() ? *known : AddFusedPlan(problem, plan, streams, recent, workspace);
  fused.last_use = ++workspace.num_uses;
  return fused.kernels.num_kernels == problem.num_ops ? nullptr : &fused;
}

}  // namespace opyard::sim
