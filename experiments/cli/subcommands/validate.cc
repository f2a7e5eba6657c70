#include "experiments/cli/subcommands/validate.h"

#include <filesystem>
#include <optional>

#include "experiments/cli/json/validate_answer.h"
#include "experiments/maintenance/best_known_validation.h"
#include "experiments/maintenance/validation.h"
#include "experiments/statistics/best_known.h"

namespace opyard::experiments {
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

}  // namespace

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

}  // namespace opyard::experiments
