#include "experiments/plans/layouts/layout_target.h"

#include <algorithm>
#include <array>

#include "experiments/plans/layouts/accelerate.h"
#include "experiments/plans/layouts/llama_cpp.h"
#include "experiments/plans/layouts/megatron.h"
#include "experiments/plans/layouts/onnxruntime.h"
#include "experiments/plans/layouts/python_script.h"
#include "experiments/plans/layouts/torch_pipelining.h"
#include "experiments/plans/layouts/torchtitan.h"
#include "experiments/plans/layouts/vllm.h"
#include "sim/base/check.h"

namespace opyard::experiments {
namespace {

constexpr auto kTargets = std::to_array<LayoutTarget>({
    {"accelerate", "device_map", WriteAccelerate, RoundForAccelerate, ProgramStep},
    {"llama.cpp",
     "--tensor-split, --override-tensor",
     WriteLlamaCpp,
     RoundForLlamaCpp,
     ProgramStep},
    {"megatron", "--pipeline-model-parallel-layout", WriteMegatron, RoundForMegatron, RunMegatron},
    {"onnxruntime",
     "layer_ann and session settings",
     WriteOnnxruntime,
     RoundForOnnxruntime,
     ProgramStep},
    {"python", "a script for PyTorch", WritePythonScript, RoundForPythonScript, ProgramStep},
    {"torch-pipelining",
     "split points and schedule",
     WriteTorchPipelining,
     RoundForTorchPipelining,
     RunTorchPipelining},
    {"torchtitan",
     "module_fqns_per_model_part, schedule",
     WriteTorchtitan,
     RoundForTorchPipelining,
     RunTorchPipelining},
    {"vllm", "VLLM_PP_LAYER_PARTITION", WriteVllm, RoundForVllm, ProgramStep},
});

}  // namespace

std::span<const LayoutTarget> LayoutTargets() {
  return kTargets;
}

const LayoutTarget& LayoutTargetOf(std::string_view name) {
  const auto* const found = std::ranges::find(kTargets, name, &LayoutTarget::name);
  OPYARD_CHECK(found != kTargets.end(), "a target of that name");
  return *found;
}

ScheduledStep ProgramStep(const LayoutInput& input, std::vector<Inexpressible>& /*reasons*/) {
  return {.graph = input.problem.shared_graph(),
          .schedule = "",
          .plan = {.placement = input.plan.placement, .queue = sim::QueueDiscipline::kProgram}};
}

}  // namespace opyard::experiments
