#include "experiments/cli/arguments/results_arguments.h"

#include <cstdint>
#include <limits>
#include <memory>

#include <CLI/CLI.hpp>

#include "experiments/cli/arguments/subcommand_arguments.h"
#include "experiments/cli/arguments/value_checks.h"
#include "experiments/cli/subcommands/best_known.h"
#include "experiments/cli/subcommands/results.h"
#include "experiments/cli/subcommands/results_best.h"
#include "experiments/cli/subcommands/results_list.h"
#include "experiments/cli/subcommands/results_merge.h"

namespace opyard::experiments {

namespace {

void AddResults(CLI::App& subcommand, std::string& results) {
  subcommand.add_option("results", results, "results folder or file")
      ->required()
      ->type_name("RESULTS");
}

void AddStores(CLI::App& subcommand, std::vector<std::string>& results) {
  subcommand.add_option("results", results, "results folders or files")
      ->required()
      ->type_name("RESULTS");
}

void AddExport(CLI::App& group, Command& command) {
  CLI::App& subcommand =
      AddSubcommand(group,
                    {.name = "export",
                     .summary = "runs, histories, training curves as CSV or Parquet",
                     .examples = "  opyard results export results/mine --out results/mine/csv\n"
                                 "  opyard results export results/mine --out results/mine/parquet "
                                 "--format parquet"});
  const auto options = std::make_shared<ResultsExportOptions>();
  AddResults(subcommand, options->results);
  subcommand.add_option("--out", options->out, "folder to write the tables to")
      ->required()
      ->type_name("DIR");
  subcommand
      .add_option("--format",
                  options->format,
                  "csv, or parquet, which needs pip install 'opyard[parquet]' (default: csv)")
      ->check(CLI::IsMember({"csv", "parquet"}));
  Choose(subcommand, command, options, &ExportResults);
}

void AddBestKnown(CLI::App& group, Command& command) {
  CLI::App& subcommand =
      AddSubcommand(group,
                    {.name = "best-known",
                     .summary = "the best plans found so far, beside the expert's and bounds",
                     .examples = "  opyard results best-known results/mine --out results/best\n"
                                 "  opyard results best-known results/best --json"});
  const auto options = std::make_shared<BestKnownOptions>();
  subcommand
      .add_option("results",
                  options->results,
                  "a folder of best known plans; with --out, results folders or files")
      ->required()
      ->type_name("RESULTS");
  subcommand.add_option("--out", options->out, "folder that keeps the best plans of RESULTS")
      ->type_name("DIR");
  AddJson(subcommand, options->json);
  Choose(subcommand, command, options, &ShowBestKnown);
}

void AddFilter(CLI::App& subcommand, RunFilter& filter) {
  subcommand
      .add_option("--graph", filter.graph, "runs on this graph alone, as the experiment names it")
      ->type_name("GRAPH");
  subcommand.add_option("--hardware", filter.hardware, "runs on this machine alone")
      ->type_name("MACHINE");
  subcommand.add_option("--agent", filter.agent, "runs of this agent alone")->type_name("LABEL");
  subcommand.add_option("--seed", filter.seed, "runs with this seed alone")
      ->check(WholeNumber(0, std::numeric_limits<std::int64_t>::max()));
}

void AddList(CLI::App& group, Command& command) {
  CLI::App& subcommand =
      AddSubcommand(group,
                    {.name = "list",
                     .summary = "how many runs stores hold, and how many are missing",
                     .examples = "  opyard results list results/mine results/other"});
  const auto options = std::make_shared<ResultsListOptions>();
  AddStores(subcommand, options->results);
  AddJson(subcommand, options->json);
  Choose(subcommand, command, options, &ListResults);
}

void AddShow(CLI::App& group, Command& command) {
  CLI::App& subcommand =
      AddSubcommand(group,
                    {.name = "show",
                     .summary = "what a store holds: why runs failed, what is missing",
                     .examples = "  opyard results show results/mine\n"
                                 "  opyard results show results/mine --agent brkga --json\n"
                                 "  opyard results show results/mine --resolved"});
  const auto options = std::make_shared<ResultsShowOptions>();
  AddResults(subcommand, options->results);
  AddFilter(subcommand, options->filter);
  subcommand.add_flag(
      "--resolved", options->resolved, "print the experiment instead, with all that it was run by");
  AddJson(subcommand, options->json);
  Choose(subcommand, command, options, &ShowResults);
}

void AddBest(CLI::App& group, Command& command) {
  CLI::App& subcommand = AddSubcommand(
      group,
      {.name = "best",
       .summary = "the best plans of a store, and any plan as a file",
       .examples = "  opyard results best results/mine\n"
                   "  opyard results best results/mine --per agent --json\n"
                   "  opyard results best results/mine --per run --agent brkga --seed 1 "
                   "--out plans"});
  const auto options = std::make_shared<ResultsBestOptions>();
  AddResults(subcommand, options->results);
  AddFilter(subcommand, options->filter);
  subcommand
      .add_option("--per",
                  options->per,
                  "the best of each problem, of each agent on it, or every run (default: problem)")
      ->check(CLI::IsMember({"problem", "agent", "run"}));
  subcommand.add_option("--out", options->out, "folder to write the plans to")->type_name("DIR");
  AddJson(subcommand, options->json);
  Choose(subcommand, command, options, &ShowBest);
}

void AddMerge(CLI::App& group, Command& command) {
  CLI::App& subcommand =
      AddSubcommand(group,
                    {.name = "merge",
                     .summary = "join the stores of pieces of an experiment",
                     .examples = "  opyard results merge results/piece1 results/piece2 --out "
                                 "results/mine"});
  const auto options = std::make_shared<ResultsMergeOptions>();
  AddStores(subcommand, options->results);
  subcommand.add_option("--out", options->out, "folder of the joined store")
      ->required()
      ->type_name("DIR");
  AddJson(subcommand, options->json);
  Choose(subcommand, command, options, &MergeResults);
}

}  // namespace

void AddResultsArguments(CLI::App& app, Command& command) {
  CLI::App& group = AddSubcommandGroup(
      app,
      {.name = "results",
       .summary = "stored results",
       .examples = "  opyard results show results/mine\n"
                   "  opyard results export results/mine --out results/mine/csv"});
  AddList(group, command);
  AddShow(group, command);
  AddBest(group, command);
  AddBestKnown(group, command);
  AddMerge(group, command);
  AddExport(group, command);
}

}  // namespace opyard::experiments
