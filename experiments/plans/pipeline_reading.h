// A pipeline schedule, read and mapped onto a problem.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "env/problem.h"
#include "experiments/plans/pipeline_plan.h"
#include "experiments/plans/pipeline_schedule.h"
#include "graphs/microbatches/pipeline_units.h"
#include "sim/plan/plan.h"

namespace opyard::experiments {

// The choices of a user, and their names in messages.
struct PipelineChoices {
  std::vector<std::int32_t> stage_layers;  // the first of each stage; empty: stages of equal time
  std::vector<std::string> devices;        // of the ranks; empty: the accelerators
  std::string stage_layers_name;           // "--stage-layers"
  std::string devices_name;                // "--devices"
};

struct PipelineReading {
  PipelineSchedule schedule;
  std::vector<std::int32_t> first_layers;  // [num_stages]
  graphs::PipelineUnits units;
  std::vector<DeviceId> devices;  // [num_ranks]
  sim::Plan plan;
};

// Reads `text` (ReadPipelineSchedule) and makes its plan (PlanOfPipeline). Without stage_layers the
// stages are those of BalancedStages, by the times on the first accelerator. Throws InputError as
// these do, and for another number of layers than stages.
[[nodiscard]] PipelineReading ReadPipeline(std::string_view text,
                                           const env::Problem& problem,
                                           const PipelineChoices& choices,
                                           const PipelineFiles& files);

}  // namespace opyard::experiments
