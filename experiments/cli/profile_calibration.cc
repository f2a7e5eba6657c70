#include "experiments/cli/profile_calibration.h"

#include <memory>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "experiments/cli/subcommand.h"

namespace opyard::experiments {
namespace {

// Arguments that only the Python package reads.
struct CalibrationWords {
  std::vector<std::string> measurements;
  std::vector<std::string> labels;
  std::string device;
  std::string out;
  std::string name;
  std::string predictions;
  bool json = false;
};

void AddMeasurements(CLI::App& subcommand, CalibrationWords& words) {
  subcommand.add_option("--measurements", words.measurements, "measured kernels, .csv or .csv.gz")
      ->required()
      ->type_name("CSV");
  subcommand.add_option("--label", words.labels, "only rows of this device")->type_name("L");
  AddJson(subcommand, words.json);
}

}  // namespace

void AddProfileCalibrateArguments(CLI::App& profile, Command& command) {
  CLI::App& subcommand =
      AddSubcommand(profile,
                    {.name = "calibrate",
                     .summary = "fit a device's cost model to measured kernels (Python package)",
                     .examples = "  opyard profile calibrate --measurements rows.csv --device "
                                 "mine.yaml --out fitted.yaml"});
  const auto words = std::make_shared<CalibrationWords>();
  AddMeasurements(subcommand, *words);
  subcommand.add_option("--device", words->device, "device file or name to begin with")
      ->required()
      ->type_name("PROFILE");
  subcommand.add_option("--out", words->out, "device file to write")->required()->type_name("YAML");
  subcommand.add_option("--name", words->name, "name of the new device")->type_name("NAME");
  RefuseWithoutPackage(subcommand, command, words, "profile calibrate", "'.[calibrate]'");
}

void AddProfileScoreArguments(CLI::App& profile, Command& command) {
  CLI::App& subcommand =
      AddSubcommand(profile,
                    {.name = "score",
                     .summary = "errors of the cost model on measured kernels (Python package)",
                     .examples = "  opyard profile score a100-sxm4-80gb --measurements rows.csv"});
  const auto words = std::make_shared<CalibrationWords>();
  subcommand.add_option("profile", words->device, "device file, or the name of a shipped one")
      ->required()
      ->type_name("YAML");
  AddMeasurements(subcommand, *words);
  subcommand.add_option("--predictions", words->predictions, "file for the rows with predictions")
      ->type_name("CSV");
  RefuseWithoutPackage(subcommand, command, words, "profile score", "'.[calibrate]'");
}

}  // namespace opyard::experiments
