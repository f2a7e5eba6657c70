// Any text is a pipeline schedule of a small model, or an InputError; its plan completes.
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "experiments/plans/pipeline_plan.h"
#include "experiments/plans/pipeline_schedule.h"
#include "graphs/graph_sources.h"
#include "graphs/microbatches/pipeline_units.h"
#include "sim/base/error.h"
#include "tests/fuzz/fuzz_problem.h"

namespace {

opyard::sim::Plan PlanOf(std::string_view text, const opyard::testing::FuzzProblem& problem) {
  const opyard::experiments::PipelineSchedule schedule =
      opyard::experiments::ReadPipelineSchedule(text, "fuzz");
  const std::vector<opyard::DeviceId> devices = opyard::experiments::DevicesOfRanks(
      problem.hardware(), {}, schedule.ranks.size(), "--devices");
  const std::vector<opyard::SimTime> times(problem.graph().num_ops(), opyard::SimTime{1});
  const opyard::graphs::PipelineUnits units = opyard::graphs::FindPipelineUnits(
      problem.graph(),
      opyard::graphs::BalancedStages(
          problem.graph(), times, static_cast<std::int32_t>(schedule.num_stages())));
  return opyard::experiments::PlanOfPipeline(schedule,
                                             problem.graph(),
                                             units,
                                             problem.hardware(),
                                             devices,
                                             {.schedule = "fuzz", .graph = "gpt"});
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const opyard::testing::FuzzProblem problem(
      opyard::graphs::LoadGraph("zoo:gpt?scale=tiny&layers=4&batch=2&microbatches=2"),
      opyard::testing::ChainedMachine(3));
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    problem.CheckRun(PlanOf(text, problem));
  } catch (const opyard::InputError&) {
    // The text is no schedule of the model.
  }
  return 0;
}
