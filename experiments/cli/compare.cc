#include "experiments/cli/compare.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "experiments/cli/subcommand.h"
#include "sim/base/error.h"

namespace opyard::experiments {
namespace {

// Arguments that only the Python package reads.
struct CompareWords {
  std::vector<std::string> results;
  std::vector<std::string> measured;
  std::string baseline;
  std::string best_known;
  std::string out;
  std::string html;
  std::string views;
  std::int64_t perturbations = 0;
  std::int64_t repetitions = 0;
  bool is_robust = false;
  bool json = false;
};

void AddOptions(CLI::App& subcommand, CompareWords& words) {
  subcommand.add_option("results", words.results, "results folders or files")->type_name("RESULTS");
  subcommand
      .add_option("--measured", words.measured, "instead: rows that opyard execute --csv wrote")
      ->type_name("CSV");
  subcommand.add_option("--baseline", words.baseline, "agent that speed-ups are against")
      ->type_name("AGENT");
  subcommand.add_option("--best-known", words.best_known, "table or folder of best known plans")
      ->type_name("FILE");
  subcommand.add_option("--out", words.out, "folder for HTML, Markdown, LaTeX, CSV and JSON")
      ->type_name("DIR");
  subcommand.add_option("--html", words.html, "the page of --out alone, as this file")
      ->type_name("FILE");
  subcommand
      .add_option("--views",
                  words.views,
                  "plans that the page shows in timelines and graphs (default: all)")
      ->check(CLI::IsMember({"all", "best", "none"}));
  subcommand.add_flag(
      "--robust", words.is_robust, "evaluate the best plans on perturbed machines, too");
  subcommand.add_option("--perturbations", words.perturbations, "how many (default: 24)")
      ->type_name("N");
  subcommand.add_option("--repetitions", words.repetitions, "of the bootstrap (default: 2000)")
      ->type_name("N");
  AddJson(subcommand, words.json);
}

}  // namespace

void AddCompareArguments(CLI::App& app, Command& command) {
  CLI::App& subcommand = AddSubcommand(
      app,
      {.name = "compare",
       .summary = "agents side by side, with statistics (Python package)",
       .examples = "  opyard compare results/mine --baseline single_device --out report\n"
                   "  opyard compare results/mine --html comparison.html --views best\n"
                   "  opyard compare results/one results/two --robust --json"});
  const auto words = std::make_shared<CompareWords>();
  AddOptions(subcommand, *words);
  subcommand.callback([&command, words] {
    command = [words](const Console&) -> int {
      throw InputError(
          "opyard compare: this is the program alone; compare is a subcommand of the Python "
          "package, "
          "whose command is called opyard, too: pip install . in the folder of the sources");
    };
  });
}

}  // namespace opyard::experiments
