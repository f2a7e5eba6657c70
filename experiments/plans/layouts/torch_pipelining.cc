#include "experiments/plans/layouts/torch_pipelining.h"

#include <cstddef>
#include <string>
#include <utility>

#include <nlohmann/json.hpp>

#include "experiments/plans/layouts/order_limits.h"
#include "sim/base/array_index.h"

namespace opyard::experiments {
namespace {

constexpr const char* kTorchPipelining = "torch-pipelining";

nlohmann::ordered_json RanksJson(const LayoutInput& input, const Stages& stages) {
  nlohmann::ordered_json ranks = nlohmann::ordered_json::array();
  for (const DeviceId device : stages.ranks) {
    ranks.push_back({{"device", input.problem.hardware().devices[device.index()].name},
                     {"stages", nlohmann::ordered_json::array()}});
  }
  for (std::size_t s = 0; s < stages.stages.size(); ++s) {
    ranks[stages.stages[s].rank]["stages"].push_back(s);
  }
  return ranks;
}

}  // namespace

std::optional<PipelineLayout> PipelineLayoutOf(const LayoutInput& input,
                                               const char* target,
                                               std::vector<Inexpressible>& reasons) {
  AddFusionLimit(input, target, reasons);
  AddTransferLimit(input, target, reasons);
  const bool has_schedule = input.options.schedule != StageSchedule::kOfPlan ||
                            input.options.microbatches > 1 ||
                            CountMicrobatches(input.problem.graph()) > 1;
  if (!has_schedule) {
    AddProgramLimit(input, target, reasons);
  }
  std::vector<Inexpressible> of_stages;
  std::optional<Stages> stages = FindStages(input, StageForm::kUnits, target, of_stages);
  std::optional<PipelineLayout> layout;
  if (stages.has_value() && of_stages.empty()) {
    ScheduledStep step = ScheduleStages(input, *stages, of_stages);
    layout = PipelineLayout{.stages = std::move(*stages), .step = std::move(step)};
  }
  reasons.insert(reasons.end(), of_stages.begin(), of_stages.end());
  return layout;
}

Layout WriteTorchPipelining(const LayoutInput& input, std::vector<Inexpressible>& reasons) {
  const auto pipeline = PipelineLayoutOf(input, kTorchPipelining, reasons);
  if (!pipeline.has_value()) {
    return {};
  }
  const Stages& stages = pipeline->stages;
  nlohmann::ordered_json points = nlohmann::ordered_json::object();
  for (std::size_t s = 1; s < stages.stages.size(); ++s) {
    const std::int32_t module = stages.units.modules[stages.stages[s].units.first];
    points[input.tree.modules[At(module)].path] = "BEGINNING";
  }
  const nlohmann::ordered_json json = {{"split_points", std::move(points)},
                                       {"ranks", RanksJson(input, stages)}};
  Layout layout{.files = {{"split_points.json", json.dump(1) + "\n"}}, .notes = {}};
  if (pipeline->step.schedule.empty()) {
    layout.notes.emplace_back(
        "no schedule.csv: the step has one micro-batch; --microbatches repeats it in several");
  } else {
    layout.files.push_back({"schedule.csv", pipeline->step.schedule});
  }
  return layout;
}

sim::OpPlacement RoundForTorchPipelining(const LayoutInput& input) {
  return RoundToStages(input, StageForm::kUnits);
}

ScheduledStep RunTorchPipelining(const LayoutInput& input, std::vector<Inexpressible>& reasons) {
  auto pipeline = PipelineLayoutOf(input, kTorchPipelining, reasons);
  return pipeline.has_value() ? std::move(pipeline->step) : ScheduledStep{};
}

}  // namespace opyard::experiments
