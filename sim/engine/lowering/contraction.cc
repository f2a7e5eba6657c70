#include "sim/engine/lowering/contraction.h"

#include <algorithm>
#include <span>
#include <utility>

#include "sim/base/array_index.h"
#include "sim/fusion/internal_tensors.h"

namespace opyard::sim {
namespace {

constexpr std::size_t kManyOps = 100'000;

// Fills a KernelGraph kernel by kernel.
class Contraction {
 public:
  Contraction(const LoweredProblem& problem, FusedPlan& fused, ContractionWorkspace& workspace)
      : p_(problem), u_(problem.unfused), w_(workspace), g_(fused.graph), kernels_(fused.kernels) {}

  void Run() {
    Clear();
    for (std::size_t i = 0; i < kernels_.num_kernels; ++i) {
      AddKernel(static_cast<std::int32_t>(i));
    }
    g_.num_tensors = g_.tensors.size();
    g_.tensors.push_back({.first_consumer = Size32(g_.consumers.size())});
    g_.kernels.push_back({.first_output = Size32(g_.num_tensors),
                          .first_control = Size32(g_.control_consumers.size())});
    ConnectInputs(g_, w_.count);
    for (std::size_t t = 0; t < g_.num_tensors; ++t) {
      ResolveAlias(g_.tensors[t], g_.origin[t]);
    }
  }

 private:
  [[nodiscard]] bool IsInternal(std::int32_t tensor) const {
    return w_.is_internal[p_.tensor_of[At(tensor)].index()] != 0;
  }

  // Empties everything and gives it the room of the graph without fusion.
  void Clear() {
    g_.num_kernels = kernels_.num_kernels;
    g_.num_uses = 0;
    g_.kernels.clear();
    g_.kernels.reserve(u_.kernels.size());
    g_.num_dependencies.reserve(u_.num_kernels);
    g_.sources.reserve(u_.num_kernels);
    g_.release_ps.clear();
    g_.release_ps.reserve(u_.release_ps.size());
    g_.tensors.clear();
    g_.tensors.reserve(u_.tensors.size());
    for (std::vector<std::int32_t>* by_tensor : {&g_.producer, &g_.origin}) {
      by_tensor->clear();
      by_tensor->reserve(u_.num_tensors);
    }
    for (std::vector<std::int32_t>* by_edge :
         {&g_.consumers, &g_.edge_producer, &g_.edge_uses, &g_.input_edges}) {
      by_edge->clear();
      by_edge->reserve(u_.num_edges());
    }
    g_.control_consumers.clear();
    g_.control_consumers.reserve(u_.control_consumers.size());
    for (std::vector<std::int32_t>* by_kernel : {&w_.last_edge, &w_.last_control, &w_.count}) {
      by_kernel->reserve(u_.num_kernels);
    }
    w_.last_edge.assign(kernels_.num_kernels, -1);
    w_.last_control.assign(kernels_.num_kernels, -1);
    w_.tensor_index.resize(u_.num_tensors);
    w_.edge_index.resize(u_.num_edges());
  }

  void AddKernel(std::int32_t kernel) {
    Kernel added{.first_output = Size32(g_.tensors.size()),
                 .first_control = Size32(g_.control_consumers.size())};
    for (const std::int32_t op : kernels_.ops_of(At(kernel))) {
      const Kernel& alone = u_.kernels[At(op)];
      const Kernel& after = u_.kernels[At(op) + 1];
      added.workspace_bytes = std::max(added.workspace_bytes, alone.workspace_bytes);
      for (std::int32_t t = alone.first_output; t < after.first_output; ++t) {
        if (!IsInternal(t)) {
          AddTensor(kernel, t);
          const KernelTensor& tensor = g_.tensors.back();
          added.start_bytes += tensor.alias == Alias::kNone ? tensor.bytes : 0;
        }
      }
      for (std::int32_t c = alone.first_control; c < after.first_control; ++c) {
        AddControlEdge(kernel, added.first_control, u_.control_consumers[At(c)]);
      }
    }
    added.start_bytes += added.workspace_bytes;
    g_.kernels.push_back(added);
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
      last = Size32(g_.control_consumers.size());
      g_.control_consumers.push_back(follower);
    }
  }

  void AddTensor(std::int32_t kernel, std::int32_t tensor) {
    const KernelTensor& alone = u_.tensors[At(tensor)];
    const TensorId last =
        FollowInternalAliases(*p_.graph, w_.is_internal, p_.tensor_of[At(tensor)]);
    w_.tensor_index[At(tensor)] = Size32(g_.tensors.size());
    g_.tensors.push_back({.bytes = alone.bytes,
                          .first_consumer = Size32(g_.consumers.size()),
                          .alias = p_.graph->tensor(last).alias,
                          .keep = alone.keep,
                          .aliases_params = alone.aliases_params});
    g_.producer.push_back(kernel);
    g_.origin.push_back(tensor);
    for (std::int32_t e = alone.first_consumer; e < u_.tensors[At(tensor) + 1].first_consumer;
         ++e) {
      AddEdge(kernel, g_.tensors.back().first_consumer, e);
    }
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
      last = Size32(g_.consumers.size());
      g_.consumers.push_back(reader);
      g_.edge_producer.push_back(kernel);
      g_.num_uses += At(uses);
      if (!u_.edge_uses.empty()) {
        g_.edge_uses.push_back(uses);
      }
    }
    w_.edge_index[At(edge)] = last;
  }

  // An alias shares what its kernel reads, or what another output of its kernel lies in: that comes
  // before it, and is resolved already.
  void ResolveAlias(KernelTensor& tensor, std::int32_t origin) const {
    if (tensor.alias != Alias::kInput) {
      return;
    }
    const TensorId last =
        FollowInternalAliases(*p_.graph, w_.is_internal, p_.tensor_of[At(origin)]);
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
};

bool IsOf(const FusedPlan& fused, const LoweredProblem& problem, const Plan& plan) {
  return fused.problem == problem.serial && fused.placement == plan.placement &&
         fused.fusion_priority == plan.fusion_priority;
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
void TimeKernels(const LoweredProblem& problem,
                 const FusedPlan* before,
                 std::span<const std::uint8_t> is_internal,
                 FusedPlan& fused) {
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
        known >= 0 ? before->duration_ps[At(known)]
                   : problem.fused_cost->Time(fused.kernels, is_internal, i, device).picoseconds;
  }
}

// The plan used last, if it is of the problem and some of its ops share a kernel.
const FusedPlan* LastUsed(const LoweredProblem& problem, const ContractionWorkspace& workspace) {
  const FusedPlan& last = *std::ranges::max_element(workspace.recent, {}, &FusedPlan::last_use);
  const bool serves = last.problem == problem.serial && last.kernels.num_kernels < problem.num_ops;
  return serves ? &last : nullptr;
}

void MakeFusedPlan(const LoweredProblem& problem,
                   const Plan& plan,
                   ContractionWorkspace& workspace,
                   FusedPlan& fused) {
  const FusedPlan* last = LastUsed(problem, workspace);
  const FusedPlan* before = last == &fused ? nullptr : last;
  fused.problem = 0;  // of none until it is whole
  fused.placement = plan.placement;
  fused.fusion_priority = plan.fusion_priority;
  Fuse(problem.fusion, plan.placement, plan.fusion_priority, workspace.fusion);
  std::swap(fused.kernels, workspace.fusion.kernels);
  if (fused.kernels.num_kernels < problem.num_ops) {
    FindInternalTensors(*problem.graph, fused.kernels, workspace.is_internal);
    Contraction(problem, fused, workspace).Run();
    TimeKernels(problem, before, workspace.is_internal, fused);
  }
  fused.problem = problem.serial;
}

}  // namespace

const FusedPlan* FuseKernels(const LoweredProblem& problem,
                             const Plan& plan,
                             ContractionWorkspace& workspace) {
  // Large graphs keep one alone: memory is dearer there.
  const auto recent =
      std::span(workspace.recent).first(problem.num_ops > kManyOps ? 1 : workspace.recent.size());
  const auto known = std::ranges::find_if(
      recent, [&](const FusedPlan& fused) { return IsOf(fused, problem, plan); });
  FusedPlan& fused =
      known != recent.end() ? *known : *std::ranges::min_element(recent, {}, &FusedPlan::last_use);
  if (known == recent.end()) {
    MakeFusedPlan(problem, plan, workspace, fused);
  }
  fused.last_use = ++workspace.num_uses;
  return fused.kernels.num_kernels == problem.num_ops ? nullptr : &fused;
}

}  // namespace opyard::sim
