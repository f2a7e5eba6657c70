#include "experiments/cli/validate.h"

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "experiments/cli/subcommand.h"
#include "experiments/console/console.h"
#include "experiments/maintenance/best_known_validation.h"
#include "experiments/maintenance/validation.h"
#include "experiments/statistics/best_known.h"

namespace opyard::experiments {
namespace {

struct ValidateOptions {
  std::string results;  // a results folder, or its file; or best known plans
  bool json = false;
};

// Prints what ValidateStore (validation.h) or ValidateBestKnown finds. kAnswerIsNo, and a line per
// run, if any differs or its plan is damaged.
[[nodiscard]] int ValidateResults(const ValidateOptions& options, const Console& console);

// Bytes of a damaged store that are not UTF-8 are replaced.
[[nodiscard]] std::string ValidateJson(const Validation& validation);

}  // namespace

void AddValidateArguments(CLI::App& app, Command& command) {
  CLI::App& subcommand = AddSubcommand(app,
                                       {.name = "validate",
                                        .summary = "simulate every stored plan again",
                                        .examples = "  opyard validate results/mine\n"
                                                    "  opyard validate results/best"});
  const auto options = std::make_shared<ValidateOptions>();
  subcommand
      .add_option(
          "results", options->results, "results folder or file, or a folder of best known plans")
      ->required()
      ->type_name("RESULTS");
  AddJson(subcommand, options->json);
  Choose(subcommand, command, options, &ValidateResults);
}

namespace {

void PrintText(const Validation& validation, std::ostream& out) {
  for (const std::string& difference : validation.differences) {
    out << difference << '\n';
  }
  for (const std::string& note : validation.notes) {
    out << "note: " << note << '\n';
  }
  out << validation.agreed << " of " << validation.plans << " stored plans agree to the picosecond";
  if (validation.runs > validation.plans) {
    out << "; " << validation.runs - validation.plans << " runs hold no plan";
  }
  out << '\n';
}

Validation Validate(const std::string& results, const InterruptFlag& interrupt) {
  const std::optional<std::filesystem::path> table = FindBestKnown(results);
  return table.has_value() ? ValidateBestKnown(*table, interrupt)
                           : ValidateStore(results, interrupt);
}

int ValidateResults(const ValidateOptions& options, const Console& console) {
  const Validation validation = Validate(options.results, console.interrupt);
  if (console.interrupt.is_raised()) {
    console.err << "interrupted after " << validation.runs << " runs\n";
    return kInterrupted;
  }
  if (options.json) {
    console.out << ValidateJson(validation) << '\n';
  } else {
    PrintText(validation, console.out);
  }
  return validation.differences.empty() ? kSuccess : kAnswerIsNo;
}

std::string ValidateJson(const Validation& validation) {
  const nlohmann::ordered_json json = {{"runs", validation.runs},
                                       {"plans", validation.plans},
                                       {"agreed", validation.agreed},
                                       {"differences", validation.differences},
                                       {"notes", validation.notes}};
  return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace
}  // namespace opyard::experiments
