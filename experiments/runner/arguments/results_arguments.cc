#include "experiments/runner/arguments/results_arguments.h"

#include <memory>

#include <CLI/CLI.hpp>

#include "experiments/runner/arguments/verb_arguments.h"
#include "experiments/runner/verbs/results.h"

namespace opyard::experiments {

void AddResultsArguments(CLI::App& app, Command& command) {
  CLI::App& group =
      AddVerbGroup(app,
                   {.name = "results",
                    .summary = "stored results",
                    .examples = "  opyard results export results/mine --out results/mine/csv"});
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

}  // namespace opyard::experiments
