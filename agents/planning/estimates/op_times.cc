#include "agents/planning/estimates/op_times.h"

#include "sim/fusion/fused_cost.h"
#include "sim/fusion/fuser.h"
#include "sim/fusion/fusion_graph.h"
#include "sim/fusion/internal_tensors.h"
#include "sim/plan/plan.h"

namespace opyard::agents {
namespace {

// The kernels of the graph on one device that holds everything.
sim::Kernels KernelsOnOneDevice(const env::Problem& problem) {
  const sim::OpGraph& graph = problem.graph();
  const sim::OpPlacement together(graph.num_ops(), problem.first_accelerator());
  sim::FusionWorkspace workspace;
  sim::Fuse(sim::PrepareFusion(graph, problem.hardware().fusion),
            together,
            problem.default_fusion_priority(),
            workspace,
            problem.fusion_region());
  return std::move(workspace.kernels);
}

}  // namespace

OpTimes::OpTimes(const env::Problem& problem)
    : num_devices_(problem.hardware().num_devices()),
      times_(problem.graph().num_ops() * num_devices_) {
  for (std::size_t slot = 0; slot < times_.size(); ++slot) {
    times_[slot] = problem.costs().time(OpId(slot / num_devices_), DeviceId(slot % num_devices_));
  }
}

OpTimes OpTimes::Alone(const env::Problem& problem) {
  return OpTimes(problem);
}

OpTimes OpTimes::Fused(const env::Problem& problem) {
  OpTimes times(problem);
  if (problem.default_fusion_priority().empty()) {
    return times;
  }
  const sim::OpGraph& graph = problem.graph();
  const sim::Kernels kernels = KernelsOnOneDevice(problem);
  std::vector<std::uint8_t> is_internal;
  sim::FindInternalTensors(graph, kernels, is_internal);
  const sim::FusedCost cost(problem.shared_graph(), problem.hardware(), problem.shared_costs());
  for (std::size_t kernel = 0; kernel < kernels.num_kernels; ++kernel) {
    const std::span<const std::int32_t> ops = kernels.ops_of(kernel);
    for (std::size_t d = 0; d < times.num_devices_ && ops.size() > 1; ++d) {
      SimTime alone;
      for (const std::int32_t index : ops) {
        alone += times.time(graph.topological_order()[At(index)], DeviceId(d));
      }
      const double fused_s = cost.Time(kernels, is_internal, kernel, DeviceId(d)).seconds();
      const double share = alone > SimTime{} ? fused_s / alone.seconds() : 0.0;
      for (const std::int32_t index : ops) {
        const OpId op = graph.topological_order()[At(index)];
        SimTime& time = times.times_[op.index() * times.num_devices_ + d];
        time = SimTime::FromSeconds(share * time.seconds());
      }
    }
  }
  return times;
}

}  // namespace opyard::agents
