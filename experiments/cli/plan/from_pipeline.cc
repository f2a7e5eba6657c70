#include "experiments/cli/plan/from_pipeline.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "experiments/cli/plan/plan_answer.h"
#include "experiments/cli/simulated_problem.h"
#include "experiments/cli/subcommand.h"
#include "experiments/cli/value_checks.h"
#include "experiments/console/console.h"
#include "experiments/console/notice_printing.h"
#include "experiments/console/out_file.h"
#include "experiments/plans/pipeline_plan.h"
#include "experiments/plans/pipeline_schedule.h"
#include "experiments/text/number_format.h"
#include "graphs/microbatches/pipeline_units.h"
#include "sim/base/input_file.h"
#include "sim/io/text/text_file.h"

namespace opyard::experiments {
namespace {

struct PlanFromPipelineOptions {
  SimulatedProblemOptions problem;
  std::string schedule;                    // a file
  std::vector<std::int32_t> stage_layers;  // the first of each stage; empty: stages of equal time
  std::vector<std::string> devices;        // of the ranks; empty: the accelerators
  std::string out;                         // the file of the plan
  bool json = false;
};

// Writes the plan of a pipeline schedule (plans/pipeline_plan.h) and says how long it takes.
// kAnswerIsNo if it does not complete.
[[nodiscard]] int PlanFromPipeline(const PlanFromPipelineOptions& options, const Console& console);

struct PipelineAnswer {
  const PipelineSchedule& schedule;
  const graphs::PipelineUnits& units;
  const std::vector<std::int32_t>& first_layers;
  const std::vector<DeviceId>& devices;  // of the ranks
  const sim::SimReport& report;
};

// The answer with --json.
[[nodiscard]] std::string PlanFromPipelineJson(const PipelineAnswer& answer);

}  // namespace

void AddPlanFromPipelineArguments(CLI::App& group, Command& command) {
  constexpr std::int64_t kMostLayer = 1'000'000;
  CLI::App& subcommand = AddSubcommand(
      group,
      {.name = "from-pipeline",
       .summary = "a plan from a pipeline schedule",
       .examples = "  opyard plan from-pipeline 1f1b.csv --graph 'zoo:gpt?microbatches=4' "
                   "--hardware v100x8-dgx1 --out 1f1b.plan.json"});
  const auto options = std::make_shared<PlanFromPipelineOptions>();
  subcommand
      .add_option("schedule",
                  options->schedule,
                  "CSV file: a line for each rank, its actions in order (0F0, 0B0, …)")
      ->required()
      ->type_name("CSV");
  AddSimulatedProblem(subcommand, options->problem);
  subcommand
      .add_option("--stage-layers",
                  options->stage_layers,
                  "first layer of each stage (default: the longest stage is as short as it can be)")
      ->delimiter(',')
      ->check(WholeNumber(-kMostLayer, kMostLayer))
      ->type_name("LAYER,LAYER");
  subcommand
      .add_option("--devices",
                  options->devices,
                  "device of each rank, in the order of the lines (default: the accelerators)")
      ->delimiter(',')
      ->type_name("DEVICE,DEVICE");
  AddPlanOut(subcommand, options->out);
  AddJson(subcommand, options->json);
  Choose(subcommand, command, options, &PlanFromPipeline);
}

namespace {

std::vector<std::int32_t> FirstLayers(const PlanFromPipelineOptions& options,
                                      const env::Problem& problem,
                                      std::size_t num_stages) {
  if (!options.stage_layers.empty()) {
    if (options.stage_layers.size() != num_stages) {
      throw InputError("--stage-layers: found " + std::to_string(options.stage_layers.size()) +
                       " layers, expected " + std::to_string(num_stages) +
                       ", one for each stage of the schedule");
    }
    return options.stage_layers;
  }
  std::vector<SimTime> times;
  for (std::size_t i = 0; i < problem.graph().num_ops(); ++i) {
    times.push_back(problem.costs().time(OpId(i), problem.first_accelerator()));
  }
  return graphs::BalancedStages(problem.graph(), times, static_cast<std::int32_t>(num_stages));
}

// The part of the time of the ranks' devices in which these run nothing.
double BubbleOf(const sim::SimReport& report, const std::vector<DeviceId>& devices) {
  std::int64_t busy = 0;
  for (const DeviceId device : devices) {
    busy += report.devices[device.index()].busy.picoseconds;
  }
  const double all =
      static_cast<double>(report.result.makespan.picoseconds) * static_cast<double>(devices.size());
  return all > 0.0 ? 1.0 - static_cast<double>(busy) / all : 0.0;
}

void PrintText(const PipelineAnswer& answer, const OutFile& out) {
  constexpr int kDigits = 1;
  out.text() << OutcomeText(answer.report) << "; bubble "
             << Fixed(100.0 * BubbleOf(answer.report, answer.devices), kDigits) << " %; "
             << Counted(static_cast<std::int64_t>(answer.schedule.num_actions()), "action")
             << " of " << Counted(static_cast<std::int64_t>(answer.devices.size()), "rank") << ", "
             << Counted(answer.units.num_stages, "stage") << " from the layers ";
  for (std::size_t i = 0; i < answer.first_layers.size(); ++i) {
    out.text() << (i == 0 ? "" : ", ") << answer.first_layers[i];
  }
  out.text() << " on and " << answer.units.num_microbatches << " micro-batches; plan in "
             << out.name() << '\n';
}

int PlanFromPipeline(const PlanFromPipelineOptions& options, const Console& console) {
  const OutFile out(options.out, console);
  if (options.json) {
    out.RefuseJson("--out");
  }
  const PipelineFiles files{.schedule = InputName(options.schedule),
                            .graph = options.problem.graph};
  const PipelineSchedule schedule =
      ReadPipelineSchedule(sim::ReadTextFile(options.schedule), files.schedule);
  const auto problem = LoadSimulatedProblem(options.problem, NoticesOn(console));
  const std::vector<DeviceId> devices =
      DevicesOfRanks(problem->hardware(), options.devices, schedule.ranks.size(), "--devices");
  const std::vector<std::int32_t> first_layers =
      FirstLayers(options, *problem, schedule.num_stages());
  const graphs::PipelineUnits units = graphs::FindPipelineUnits(problem->graph(), first_layers);
  const sim::Plan plan =
      PlanOfPipeline(schedule, problem->graph(), units, problem->hardware(), devices, files);
  const sim::SimReport report = RunOf(*problem, plan);
  WritePlan(*problem, plan, out);
  const PipelineAnswer answer{.schedule = schedule,
                              .units = units,
                              .first_layers = first_layers,
                              .devices = devices,
                              .report = report};
  if (options.json) {
    console.out << PlanFromPipelineJson(answer) << '\n';
  } else {
    PrintText(answer, out);
  }
  return StatusOf(report);
}

std::string PlanFromPipelineJson(const PipelineAnswer& answer) {
  nlohmann::ordered_json devices = nlohmann::ordered_json::array();
  for (const DeviceId device : answer.devices) {
    devices.push_back(answer.report.devices[device.index()].name);
  }
  nlohmann::ordered_json json = {{"devices", std::move(devices)},
                                 {"first_layers", answer.first_layers},
                                 {"microbatches", answer.units.num_microbatches},
                                 {"actions", answer.schedule.num_actions()},
                                 {"communications", answer.schedule.num_communications}};
  json.update(OutcomeJson(answer.report));
  json["bubble"] = BubbleOf(answer.report, answer.devices);
  return json.dump();
}

}  // namespace
}  // namespace opyard::experiments
