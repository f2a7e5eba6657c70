#include "experiments/plans/layouts/vllm.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>

#include "experiments/plans/layouts/device_names.h"
#include "experiments/plans/layouts/order_limits.h"
#include "experiments/plans/layouts/stages.h"

namespace opyard::experiments {
namespace {

constexpr const char* kVllm = "vllm";

}  // namespace

Layout WriteVllm(const LayoutInput& input, std::vector<Inexpressible>& reasons) {
  AddInferenceLimit(input, kVllm, reasons);
  AddEagerLimits(input, kVllm, reasons);
  std::vector<Inexpressible> of_stages;
  const auto stages = FindStages(input, StageForm::kRanks, kVllm, of_stages);
  reasons.insert(reasons.end(), of_stages.begin(), of_stages.end());
  if (!stages.has_value()) {
    return {};
  }
  std::vector<std::string> counts;
  for (const Stage& stage : stages->stages) {
    counts.push_back(std::to_string(std::min(stage.units.end, stages->units.end_block) -
                                    std::max(stage.units.first, stages->units.first_block)));
  }
  const std::string visible = VisibleDevices(input, stages->ranks);
  return {.files = {{"vllm.env",
                     "VLLM_PP_LAYER_PARTITION=" + Joined(counts, ",") + "\n" +
                         (visible.empty() ? "" : visible + "\n")},
                    {"vllm-arguments.txt",
                     "--pipeline-parallel-size " + std::to_string(counts.size()) + "\n"}},
          .notes = {}};
}

sim::OpPlacement RoundForVllm(const LayoutInput& input) {
  return RoundToStages(input, StageForm::kRanks);
}

}  // namespace opyard::experiments
