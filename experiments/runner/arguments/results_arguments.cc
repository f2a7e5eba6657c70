#include "experiments/runner/arguments/results_arguments.h"

#include <memory>

#include <CLI/CLI.hpp>

#include "experiments/runner/arguments/verb_arguments.h"
#include "experiments/runner/verbs/best_known.h"
#include "experiments/runner/verbs/results.h"

namespace opyard::experiments {

namespace {

void AddExport(CLI::App& group, Command& command) {
  CLI::App& verb =
      AddVerb(group,
              {.name = "export",
               .summary = "runs, histories, training curves as CSV",
               .examples = "  opyard results export results/mine --out results/mine/csv"});
  const auto options = std::make_shared<ResultsExportOptions>();
  verb.add_option("results", options->results, "results folder or file")
      ->required()
      ->type_name("RESULTS");
  verb.add_option("--out", options->out, "folder to write the tables to")
      ->required()
      ->type_name("DIR");
  Choose(verb, command, options, &ExportResults);
}

void AddBestKnown(CLI::App& group, Command& command) {
  CLI::App& verb =
      AddVerb(group,
              {.name = "best-known",
               .summary = "the best plans found so far, beside the expert's and bounds",
               .examples = "  opyard results best-known results/mine --out results/best\n"
                           "  opyard results best-known results/best --json"});
  const auto options = std::make_shared<BestKnownOptions>();
  verb.add_option("results",
                  options->results,
                  "a folder of best known plans; with --out, results folders or files")
      ->required()
      ->type_name("RESULTS");
  verb.add_option("--out", options->out, "folder that keeps the best plans of RESULTS")
      ->type_name("DIR");
  AddJson(verb, options->json);
  Choose(verb, command, options, &ShowBestKnown);
}

}  // namespace

void AddResultsArguments(CLI::App& app, Command& command) {
  CLI::App& group =
      AddVerbGroup(app,
                   {.name = "results",
                    .summary = "stored results",
                    .examples = "  opyard results export results/mine --out results/mine/csv"});
  AddBestKnown(group, command);
  AddExport(group, command);
}

}  // namespace opyard::experiments
