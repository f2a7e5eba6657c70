#include "experiments/plans/layouts/torchtitan.h"

#include <cstddef>
#include <string>

#include <nlohmann/json.hpp>

#include "experiments/plans/layouts/device_names.h"
#include "experiments/plans/layouts/torch_pipelining.h"
#include "sim/base/array_index.h"

namespace opyard::experiments {
namespace {

constexpr const char* kTorchtitan = "torchtitan";

nlohmann::ordered_json ModelParts(const LayoutInput& input, const Stages& stages) {
  nlohmann::ordered_json parts = nlohmann::ordered_json::array();
  for (const Stage& stage : stages.stages) {
    parts.push_back(nlohmann::ordered_json::array());
    for (std::size_t u = stage.units.first; u < stage.units.end; ++u) {
      parts.back().push_back(input.tree.modules[At(stages.units.modules[u])].path);
    }
  }
  return parts;
}

}  // namespace

Layout WriteTorchtitan(const LayoutInput& input, std::vector<Inexpressible>& reasons) {
  const auto pipeline = PipelineLayoutOf(input, kTorchtitan, reasons);
  if (!pipeline.has_value()) {
    return {};
  }
  const Stages& stages = pipeline->stages;
  const std::string visible = VisibleDevices(input, stages.ranks);
  std::string toml = visible.empty() ? "" : "# " + visible + "\n";
  toml += "[parallelism]\npipeline_parallel_degree = " + std::to_string(stages.ranks.size()) +
          "\nmodule_fqns_per_model_part = " + ModelParts(input, stages).dump() + "\n";
  Layout layout;
  if (!pipeline->step.schedule.empty()) {
    toml +=
        "pipeline_parallel_schedule = \"PipelineScheduleMulti\"\n"
        "pipeline_parallel_schedule_csv = \"schedule.csv\"\n";
    layout.files.push_back({"schedule.csv", pipeline->step.schedule});
  }
  layout.files.insert(layout.files.begin(), {"parallelism.toml", toml});
  return layout;
}

}  // namespace opyard::experiments
