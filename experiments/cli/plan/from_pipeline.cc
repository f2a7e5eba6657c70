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
#include "experiments/plans/pipeline_reading.h"
#include "experiments/text/number_format.h"
#include "sim/base/input_file.h"
#include "sim/io/text/text_file.h"

namespace opyard::experiments {
namespace {

struct PlanFromPipelineOptions {
  SimulatedProblemOptions problem;
  std::string schedule;  // a file
  PipelineChoices choices = {.stage_layers = {},
                             .devices = {},
                             .stage_layers_name = "--stage-layers",
                             .devices_name = "--devices"};
  std::string out;  // the file of the plan
  bool json = false;
};

// Writes the plan of a pipeline schedule (plans/pipeline_plan.h) and says how long it takes.
// kAnswerIsNo if it does not complete.
[[nodiscard]] int PlanFromPipeline(const PlanFromPipelineOptions& options, const Console& console);

// The answer with --json.
[[nodiscard]] std::string PlanFromPipelineJson(const PipelineReading& reading,
                                               const sim::SimReport& report);

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
                  options->choices.stage_layers,
                  "first layer of each stage (default: the longest stage is as short as it can be)")
      ->delimiter(',')
      ->check(WholeNumber(-kMostLayer, kMostLayer))
      ->type_name("LAYER,LAYER");
  subcommand
      .add_option("--devices",
                  options->choices.devices,
                  "device of each rank, in the order of the lines (default: the accelerators)")
      ->delimiter(',')
      ->type_name("DEVICE,DEVICE");
  AddPlanOut(subcommand, options->out);
  AddJson(subcommand, options->json);
  Choose(subcommand, command, options, &PlanFromPipeline);
}

namespace {

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

void PrintText(const PipelineReading& reading, const sim::SimReport& report, const OutFile& out) {
  constexpr int kDigits = 1;
  out.text() << OutcomeText(report) << "; bubble "
             << Fixed(100.0 * BubbleOf(report, reading.devices), kDigits) << " %; "
             << Counted(static_cast<std::int64_t>(reading.schedule.num_actions()), "action")
             << " of " << Counted(static_cast<std::int64_t>(reading.devices.size()), "rank") << ", "
             << Counted(reading.units.num_stages, "stage") << " from the layers ";
  for (std::size_t i = 0; i < reading.first_layers.size(); ++i) {
    out.text() << (i == 0 ? "" : ", ") << reading.first_layers[i];
  }
  out.text() << " on and " << reading.units.num_microbatches << " micro-batches; plan in "
             << out.name() << '\n';
}

int PlanFromPipeline(const PlanFromPipelineOptions& options, const Console& console) {
  const OutFile out(options.out, console);
  if (options.json) {
    out.RefuseJson("--out");
  }
  const PipelineFiles files{.schedule = InputName(options.schedule),
                            .graph = options.problem.graph};
  const std::string text = sim::ReadTextFile(options.schedule);
  const auto problem = LoadSimulatedProblem(options.problem, NoticesOn(console));
  const PipelineReading reading = ReadPipeline(text, *problem, options.choices, files);
  const sim::SimReport report = RunOf(*problem, reading.plan);
  WritePlan(*problem, reading.plan, out);
  if (options.json) {
    console.out << PlanFromPipelineJson(reading, report) << '\n';
  } else {
    PrintText(reading, report, out);
  }
  return StatusOf(report);
}

std::string PlanFromPipelineJson(const PipelineReading& reading, const sim::SimReport& report) {
  nlohmann::ordered_json devices = nlohmann::ordered_json::array();
  for (const DeviceId device : reading.devices) {
    devices.push_back(report.devices[device.index()].name);
  }
  nlohmann::ordered_json json = {{"devices", std::move(devices)},
                                 {"first_layers", reading.first_layers},
                                 {"microbatches", reading.units.num_microbatches},
                                 {"actions", reading.schedule.num_actions()},
                                 {"communications", reading.schedule.num_communications}};
  json.update(OutcomeJson(report));
  json["bubble"] = BubbleOf(report, reading.devices);
  return json.dump();
}

}  // namespace
}  // namespace opyard::experiments
