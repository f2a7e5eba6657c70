#include "experiments/cli/duel.h"

#include <memory>
#include <string>

#include <CLI/CLI.hpp>

#include "experiments/cli/subcommand.h"

namespace opyard::experiments {
namespace {

// Arguments that only the Python package reads.
struct DuelWords {
  std::string agent;
  std::string opponent;
  std::string graph;
  std::string hardware;
  std::string evaluations;
  std::string seed;
  std::string iterations;
  std::string restarts;
  std::string start_temperature;
  std::string end_temperature;
  std::string cooling;
  std::string start;
  std::string ops;
  std::string devices;
  std::string out;
  bool json = false;
};

// The parameters of the annealing; python/opyard/duels/command.py has their defaults.
void AddAnnealingOptions(CLI::App& subcommand, DuelWords& words) {
  subcommand
      .add_option("--iterations", words.iterations, "most changes of a restart (default: 1000)")
      ->type_name("N");
  subcommand.add_option("--restarts", words.restarts, "starts (default: 10)")->type_name("N");
  subcommand
      .add_option("--start-temperature", words.start_temperature, "of each restart (default: 10)")
      ->type_name("T");
  subcommand
      .add_option("--end-temperature", words.end_temperature, "ends a restart (default: 0.1)")
      ->type_name("T");
  subcommand
      .add_option("--cooling", words.cooling, "of the temperature, per change (default: 0.99)")
      ->type_name("F");
  subcommand.add_option("--start", words.start, "random starts (default: chain)")
      ->check(CLI::IsMember({"chain", "dag"}))
      ->type_name("KIND");
  subcommand.add_option("--ops", words.ops, "of a random start (default: 3:5)")
      ->type_name("LOW:HIGH");
  subcommand.add_option("--devices", words.devices, "of a random start (default: 3:5)")
      ->type_name("LOW:HIGH");
}

}  // namespace

void AddDuelArguments(CLI::App& app, Command& command) {
  CLI::App& subcommand = AddSubcommand(
      app,
      {.name = "duel",
       .summary = "search for the instance on which an agent loses most (Python package)",
       .examples = "  opyard duel heft single_device --restarts 2 --out heft-loses"});
  const auto words = std::make_shared<DuelWords>();
  subcommand.add_option("agent", words->agent, "the agent that is to lose")
      ->required()
      ->type_name("AGENT");
  subcommand.add_option("opponent", words->opponent, "the agent it is compared with")
      ->required()
      ->type_name("AGENT");
  subcommand.add_option("--graph", words->graph, "graph to start from (default: random)")
      ->type_name("GRAPH");
  subcommand.add_option("--hardware", words->hardware, "its machine")->type_name("MACHINE");
  subcommand.add_option("--evaluations", words->evaluations, "plans of each agent (default: 64)")
      ->type_name("N");
  subcommand.add_option("--seed", words->seed, "of everything (default: 0)")->type_name("N");
  AddAnnealingOptions(subcommand, *words);
  subcommand.add_option("--out", words->out, "folder of the instance found")->type_name("DIR");
  AddJson(subcommand, words->json);
  RefuseWithoutPackage(subcommand, command, words, "duel");
}

}  // namespace opyard::experiments
