#include "experiments/cli/profile_authoring.h"

#include <memory>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "experiments/cli/subcommand.h"

namespace opyard::experiments {
namespace {

// Arguments that only the Python package reads.
struct AuthoringWords {
  std::string pattern;
  std::string card;
  std::string count;
  std::string interconnect;
  std::string host;
  std::string name;
  std::string kind;
  std::string memory;
  std::string memory_bandwidth;
  std::string peak;
  std::string input;
  std::string format;
  std::string out;
  bool json = false;
};

// The classes of python/opyard/authoring/new_machine.py, in its order; a test compares both.
std::vector<std::string> Interconnects() {
  return {"pcie",
          "nvlink",
          "pcie3",
          "pcie4",
          "pcie5",
          "pcie6",
          "nvlink1",
          "nvlink2",
          "nvlink3",
          "nvlink4",
          "nvlink5",
          "xgmi",
          "ethernet10",
          "ethernet100",
          "infiniband-edr",
          "infiniband-ndr",
          "shared-memory"};
}

// The arguments that both have.
void AddAuthoringOptions(CLI::App& subcommand, AuthoringWords& words) {
  subcommand.add_option("--card", words.card, "device type of the cards")->type_name("TYPE");
  subcommand.add_option("--host", words.host, "device type of the hosts")->type_name("TYPE");
  subcommand.add_option("--name", words.name, "name of the machine (default: that of the file)")
      ->type_name("NAME");
  subcommand.add_option("--out", words.out, "machine file to write, .yaml")->type_name("FILE");
  AddJson(subcommand, words.json);
}

// The figures of a card that no file describes.
void AddCardFigures(CLI::App& subcommand, AuthoringWords& words) {
  subcommand.add_option("--kind", words.kind, "of a new card")
      ->check(CLI::IsMember({"gpu", "cpu", "tpu", "other"}))
      ->type_name("KIND");
  subcommand.add_option("--memory", words.memory, "of a new card, such as 80GiB")
      ->type_name("SIZE");
  subcommand
      .add_option("--memory-bandwidth", words.memory_bandwidth, "of a new card, such as 2TB/s")
      ->type_name("RATE");
  subcommand
      .add_option("--peak", words.peak, "of a new card, such as f32=19.5TFLOP/s,f16=312TFLOP/s")
      ->type_name("DTYPE=RATE");
}

void AddProfileNewArguments(CLI::App& group, Command& command) {
  CLI::App& subcommand =
      AddSubcommand(group,
                    {.name = "new",
                     .summary = "write a machine file; asks what is left open (Python package)",
                     .examples = "  opyard profile new --card v100-sxm2-16gb --count 4 "
                                 "--interconnect nvlink --out machines/mine.yaml"});
  const auto words = std::make_shared<AuthoringWords>();
  subcommand
      .add_option(
          "--from", words->pattern, "machine whose links are taken over, or blank (default)")
      ->type_name("MACHINE");
  subcommand.add_option("--count", words->count, "number of cards")->type_name("N");
  subcommand.add_option("--interconnect", words->interconnect, "between cards")
      ->check(CLI::IsMember(Interconnects()))
      ->type_name("CLASS");
  AddAuthoringOptions(subcommand, *words);
  AddCardFigures(subcommand, *words);
  RefuseWithoutPackage(subcommand, command, words, "profile new");
}

void AddProfileImportArguments(CLI::App& group, Command& command) {
  CLI::App& subcommand = AddSubcommand(
      group,
      {.name = "import",
       .summary = "a machine file from another tool's description (Python package)",
       .examples = "  opyard profile import topo.txt --card v100-sxm2-16gb --out mine.yaml\n"
                   "  opyard profile import platform.xml --as simgrid --out cluster.yaml"});
  const auto words = std::make_shared<AuthoringWords>();
  subcommand.add_option("input", words->input, "file to read, - for standard input")
      ->required()
      ->type_name("IN");
  subcommand.add_option("--as", words->format, "what the file is (default: found by its content)")
      ->check(CLI::IsMember({"nvidia-smi", "hwloc", "simgrid", "infragraph"}))
      ->type_name("FORMAT");
  AddAuthoringOptions(subcommand, *words);
  RefuseWithoutPackage(subcommand, command, words, "profile import");
}

}  // namespace

void AddProfileAuthoringArguments(CLI::App& group, Command& command) {
  AddProfileNewArguments(group, command);
  AddProfileImportArguments(group, command);
}

}  // namespace opyard::experiments
