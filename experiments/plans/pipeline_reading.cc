#include "experiments/plans/pipeline_reading.h"

#include <cstddef>
#include <utility>

#include "sim/base/error.h"

namespace opyard::experiments {
namespace {

std::vector<std::int32_t> FirstLayers(const PipelineChoices& choices,
                                      const env::Problem& problem,
                                      std::size_t num_stages) {
  if (!choices.stage_layers.empty()) {
    if (choices.stage_layers.size() != num_stages) {
      throw InputError(choices.stage_layers_name + ": found " +
                       std::to_string(choices.stage_layers.size()) + " layers, expected " +
                       std::to_string(num_stages) + ", one for each stage of the schedule");
    }
    return choices.stage_layers;
  }
  std::vector<SimTime> times;
  for (std::size_t i = 0; i < problem.graph().num_ops(); ++i) {
    times.push_back(problem.costs().time(OpId(i), problem.first_accelerator()));
  }
  return graphs::BalancedStages(problem.graph(), times, static_cast<std::int32_t>(num_stages));
}

}  // namespace

PipelineReading ReadPipeline(std::string_view text,
                             const env::Problem& problem,
                             const PipelineChoices& choices,
                             const PipelineFiles& files) {
  PipelineReading reading;
  reading.schedule = ReadPipelineSchedule(text, files.schedule);
  reading.devices = DevicesOfRanks(
      problem.hardware(), choices.devices, reading.schedule.ranks.size(), choices.devices_name);
  reading.first_layers = FirstLayers(choices, problem, reading.schedule.num_stages());
  reading.units = graphs::FindPipelineUnits(problem.graph(), reading.first_layers);
  reading.plan = PlanOfPipeline(
      reading.schedule, problem.graph(), reading.units, problem.hardware(), reading.devices, files);
  return reading;
}

}  // namespace opyard::experiments
