#include "experiments/cli/plan/export.h"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <ostream>
#include <string>
#include <system_error>
#include <utility>
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
#include "experiments/graphs/plan_reading.h"
#include "experiments/plans/layouts/export_layout.h"
#include "experiments/text/number_format.h"
#include "graphs/microbatches/repeat_microbatches.h"
#include "sim/base/error.h"
#include "sim/base/quote.h"

namespace opyard::experiments {
namespace {

struct PlanExportOptions {
  SimulatedProblemOptions problem;
  std::string plan;  // a file
  std::string target;
  bool nearest = false;
  std::string schedule;
  std::int64_t microbatches = 1;
  std::vector<std::string> names;  // "gpu0=cuda:1"
  std::string onnx;                // a model
  std::string out;                 // a folder
  bool json = false;
};

// Writes the files of a framework (plans/layouts/), or prints them. kAnswerIsNo if it cannot
// express the plan, and if what it runs does not complete.
[[nodiscard]] int ExportPlan(const PlanExportOptions& options, const Console& console);

// The answer with --json.
[[nodiscard]] std::string PlanExportJson(const LayoutExport& result, bool with_texts);

std::vector<std::string> TargetNames() {
  std::vector<std::string> names;
  for (const LayoutTarget& target : LayoutTargets()) {
    names.emplace_back(target.name);
  }
  return names;
}

void AddForms(CLI::App& subcommand, PlanExportOptions& options) {
  subcommand.add_option("--to", options.target, "the framework that reads it")
      ->required()
      ->check(CLI::IsMember(TargetNames()))
      ->type_name("TARGET");
  subcommand.add_flag(
      "--nearest", options.nearest, "where it cannot express the plan, the nearest that it can");
  subcommand
      .add_option(
          "--schedule", options.schedule, "of micro-batches (default: the order of the plan's run)")
      ->check(CLI::IsMember({"1f1b", "gpipe"}))
      ->type_name("SCHEDULE");
  subcommand
      .add_option("--microbatches",
                  options.microbatches,
                  "to repeat the step in for the schedule, where the graph has none")
      ->check(WholeNumber(1, graphs::kMostMicrobatches))
      ->type_name("COUNT");
  subcommand.add_option("--names", options.names, "names of devices in the framework")
      ->delimiter(',')
      ->type_name("DEVICE=NAME");
  subcommand
      .add_option("--onnx", options.onnx, "the model that onnxruntime annotates (Python package)")
      ->type_name("MODEL");
}

}  // namespace

void AddPlanExportArguments(CLI::App& group, Command& command) {
  CLI::App& subcommand = AddSubcommand(
      group,
      {.name = "export",
       .summary = "a plan in the form of a framework",
       .examples = "  opyard plan export best.plan.json --graph 'zoo:gpt?scale=small' --hardware "
                   "v100x8-dgx1 --to accelerate --nearest --out layout\n"
                   "  opyard plan export 1f1b.plan.json --graph 'zoo:gpt?microbatches=4' "
                   "--hardware v100x8-dgx1 --to torch-pipelining"});
  const auto options = std::make_shared<PlanExportOptions>();
  AddPlanArgument(subcommand, options->plan);
  AddSimulatedProblem(subcommand, options->problem);
  AddForms(subcommand, *options);
  subcommand
      .add_option("--out", options->out, "folder to write the files to (default: they are printed)")
      ->type_name("OUT");
  AddJson(subcommand, options->json);
  Choose(subcommand, command, options, &ExportPlan);
}

namespace {

std::map<std::string, std::string> FrameworkNames(const std::vector<std::string>& pairs) {
  std::map<std::string, std::string> names;
  Diagnostics diagnostics;
  for (const std::string& pair : pairs) {
    const std::size_t equals = pair.find('=');
    if (equals == std::string::npos || equals == 0 || equals + 1 == pair.size()) {
      diagnostics.AddError("--names",
                           "found " + Quoted(pair) + ", expected DEVICE=NAME, such as gpu0=cuda:1");
    } else {
      names[pair.substr(0, equals)] = pair.substr(equals + 1);
    }
  }
  diagnostics.ThrowIfAny();
  return names;
}

LayoutOptions LayoutOptionsOf(const PlanExportOptions& options) {
  if (!options.onnx.empty()) {
    throw InputError(
        "--onnx: a model is annotated for onnxruntime alone, by the Python package: pip install "
        "'opyard[onnx]'");
  }
  return {.nearest = options.nearest,
          .schedule = options.schedule == "1f1b"    ? StageSchedule::kOneForwardOneBackward
                      : options.schedule == "gpipe" ? StageSchedule::kGPipe
                                                    : StageSchedule::kOfPlan,
          .microbatches = options.microbatches,
          .names = FrameworkNames(options.names)};
}

void WriteFiles(const LayoutExport& result, const std::string& folder, const Console& console) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) {
    throw InputError(folder + ": cannot be made: " + error.message());
  }
  for (const LayoutFile& file : result.layout.files) {
    OutFile((std::filesystem::path(folder) / file.name).string(), console).Write(file.text);
  }
}

void PrintFiles(const LayoutExport& result, std::ostream& out) {
  const bool has_several = result.layout.files.size() > 1;
  for (const LayoutFile& file : result.layout.files) {
    out << (has_several ? "==> " + file.name + " <==\n" : "") << file.text;
  }
}

void PrintMoves(const LayoutExport& result, std::ostream& out) {
  constexpr std::size_t kMostShown = 20;
  const std::size_t shown = std::min(result.moves.size(), kMostShown);
  for (std::size_t i = 0; i < shown; ++i) {
    const ModuleMove& move = result.moves[i];
    out << "  " << (move.module.empty() ? "the network" : "module " + OneLine(move.module)) << ": "
        << move.ops << " of " << Counted(static_cast<std::int64_t>(move.all_ops), "op") << " to "
        << move.device << '\n';
  }
  if (shown < result.moves.size()) {
    out << "  … (" << result.moves.size() << " in all)\n";
  }
}

void PrintRuns(const LayoutExport& result, const std::string& target, std::ostream& out) {
  out << "plan: " << OutcomeText(result.run) << "\nas " << target
      << " runs it: " << OutcomeText(result.run_as_exported);
  if (StatusOf(result.run) == kSuccess && StatusOf(result.run_as_exported) == kSuccess) {
    const SimTime from = result.run.result.makespan;
    out << " (" << ChangeText(from, result.run_as_exported.result.makespan, UnitOf(from)) << ")";
  }
  out << '\n';
}

void PrintText(const LayoutExport& result, const PlanExportOptions& options, std::ostream& out) {
  if (!result.inexpressible.empty()) {
    out << options.target << " cannot express:\n" << ReasonsText(result.inexpressible);
  }
  if (!result.left.empty()) {
    out << "nor, of the nearest plan:\n" << ReasonsText(result.left);
  }
  if (!result.is_written()) {
    out << "nothing written"
        << (options.nearest ? "" : "; --nearest writes the nearest plan that it can express")
        << '\n';
    return;
  }
  if (!result.inexpressible.empty()) {
    out << "nearest plan:\n";
    PrintMoves(result, out);
  }
  for (const std::string& note : result.layout.notes) {
    out << "note: " << note << '\n';
  }
  PrintRuns(result, options.target, out);
  if (!options.out.empty()) {
    for (const LayoutFile& file : result.layout.files) {
      out << (std::filesystem::path(options.out) / file.name).string() << '\n';
    }
  }
}

int ExportPlan(const PlanExportOptions& options, const Console& console) {
  const LayoutOptions layout_options = LayoutOptionsOf(options);
  const NoticeListener notices = NoticesOn(console);
  const auto problem = LoadSimulatedProblem(options.problem, notices);
  const sim::Plan plan = LoadPlan(options.plan, problem->graph(), problem->hardware(), notices);
  const LayoutExport result =
      ExportLayout(*problem, plan, LayoutTargetOf(options.target), layout_options);
  const bool is_printed = options.out.empty();
  if (result.is_written() && !is_printed) {
    WriteFiles(result, options.out, console);
  }
  if (options.json) {
    console.out << PlanExportJson(result, is_printed) << '\n';
  } else {
    const bool has_text_on_out = is_printed && result.is_written();
    PrintText(result, options, has_text_on_out ? console.err : console.out);
    if (has_text_on_out) {
      PrintFiles(result, console.out);
    }
  }
  return result.is_written() ? StatusOf(result.run_as_exported) : kAnswerIsNo;
}

nlohmann::ordered_json ReasonsJson(const std::vector<Inexpressible>& reasons) {
  nlohmann::ordered_json json = nlohmann::ordered_json::array();
  for (const Inexpressible& reason : reasons) {
    json.push_back({{"what", reason.what}, {"why", reason.why}});
  }
  return json;
}

std::string PlanExportJson(const LayoutExport& result, bool with_texts) {
  nlohmann::ordered_json json = {{"inexpressible", ReasonsJson(result.inexpressible)}};
  if (!result.left.empty()) {
    json["inexpressible_of_nearest"] = ReasonsJson(result.left);
  }
  json["plan"] = OutcomeJson(result.run);
  if (result.is_written()) {
    json["as_exported"] = OutcomeJson(result.run_as_exported);
    json["moves"] = nlohmann::ordered_json::array();
    for (const ModuleMove& move : result.moves) {
      json["moves"].push_back({{"module", move.module},
                               {"device", move.device},
                               {"ops", move.ops},
                               {"all_ops", move.all_ops}});
    }
    json["notes"] = result.layout.notes;
    json["files"] = nlohmann::ordered_json::array();
    for (const LayoutFile& file : result.layout.files) {
      json["files"].push_back({{"name", file.name}});
      if (with_texts) {
        json["files"].back()["text"] = file.text;
      }
    }
  }
  return json.dump();
}

}  // namespace
}  // namespace opyard::experiments
