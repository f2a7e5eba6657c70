#include "experiments/cli/profile_measuring.h"

#include <memory>
#include <string>

#include <CLI/CLI.hpp>

#include "experiments/cli/subcommand.h"

namespace opyard::experiments {
namespace {

// Arguments that only the Python package reads.
struct MeasuringWords {
  std::string trace;
  std::string device;
  std::string out;
  std::string csv;
  std::string profile;
  std::string dtypes;
  std::string name;
  double minutes = 0;
  bool is_quick = false;
  bool json = false;
};

}  // namespace

void AddProfileMeasureArguments(CLI::App& profile, Command& command) {
  CLI::App& subcommand = AddSubcommand(
      profile,
      {.name = "measure",
       .summary = "time the kernels of a GPU or CPU (Python package)",
       .examples = "  opyard profile measure --out mine.csv --profile devices/mine.yaml"});
  const auto words = std::make_shared<MeasuringWords>();
  subcommand.add_option("--out", words->out, "CSV file, which grows")->required()->type_name("CSV");
  subcommand.add_option("--device", words->device, "cpu, cpu:CORE, cuda:INDEX")->type_name("D");
  subcommand.add_option("--dtypes", words->dtypes, "of f64, f32, tf32, f16, bf16, f8")
      ->type_name("T,T");
  subcommand.add_option("--minutes", words->minutes, "the longest that it takes (default: 5)")
      ->type_name("M");
  subcommand.add_flag("--quick", words->is_quick, "few small kernels of each kind");
  subcommand.add_option("--name", words->name, "name of the device")->type_name("NAME");
  subcommand.add_option("--profile", words->profile, "device file to write")->type_name("YAML");
  AddJson(subcommand, words->json);
  RefuseWithoutPackage(subcommand, command, words, "profile measure", "'.[torch]'");
}

void AddProfileFitTraceArguments(CLI::App& profile, Command& command) {
  CLI::App& subcommand =
      AddSubcommand(profile,
                    {.name = "fit-trace",
                     .summary = "device and kernel times from a PyTorch trace (Python package)",
                     .examples = "  opyard profile fit-trace trace.json.gz --device "
                                 "a100-sxm4-80gb --out devices/mine.yaml --csv mine.csv"});
  const auto words = std::make_shared<MeasuringWords>();
  subcommand.add_option("trace", words->trace, "trace of PyTorch's profiler")
      ->required()
      ->type_name("TRACE");
  subcommand.add_option("--device", words->device, "device file or name to begin with")
      ->required()
      ->type_name("BASE");
  subcommand.add_option("--out", words->out, "device file to write")->required()->type_name("YAML");
  subcommand.add_option("--csv", words->csv, "file of the kernels that were read")
      ->type_name("CSV");
  subcommand.add_option("--name", words->name, "name of the device")->type_name("NAME");
  AddJson(subcommand, words->json);
  RefuseWithoutPackage(subcommand, command, words, "profile fit-trace", "'.[torch]'");
}

}  // namespace opyard::experiments
