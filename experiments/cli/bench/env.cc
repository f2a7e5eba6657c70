#include "experiments/cli/bench/env.h"

#include <cstdint>
#include <memory>
#include <string>

#include <CLI/CLI.hpp>

#include "experiments/cli/subcommand.h"
#include "sim/base/error.h"

namespace opyard::experiments {
namespace {

// Arguments that only the Python package reads.
struct BenchEnvWords {
  std::string graph;
  std::string hardware;
  std::string envpool;
  std::int64_t num_envs = 0;
  std::int64_t threads = 0;
  double seconds = 0.0;
  std::int64_t rounds = 0;
  bool json = false;
};

void AddOptions(CLI::App& subcommand, BenchEnvWords& words) {
  subcommand.add_option("--graph", words.graph, "graph file, name or family (default: 100 ops)")
      ->type_name("GRAPH");
  subcommand
      .add_option("--hardware", words.hardware, "machine file or name (default: p100x2-pcie)")
      ->type_name("MACHINE");
  subcommand.add_option("--num-envs", words.num_envs, "environments of a vector (default: 64)")
      ->type_name("N");
  subcommand.add_option("--threads", words.threads, "the most that a vector has (default: 2)")
      ->type_name("N");
  subcommand.add_option("--seconds", words.seconds, "of each measurement (default: 0.5)")
      ->type_name("S");
  subcommand.add_option("--rounds", words.rounds, "of which the best counts (default: 5)")
      ->type_name("N");
  subcommand
      .add_option(
          "--envpool", words.envpool, "Python with EnvPool, whose CartPole is measured, too")
      ->type_name("PYTHON");
  AddJson(subcommand, words.json);
}

}  // namespace

void AddBenchEnvArguments(CLI::App& group, Command& command) {
  CLI::App& subcommand =
      AddSubcommand(group,
                    {.name = "env",
                     .summary = "steps per second of the environments (Python package)",
                     .examples = "  opyard bench env --json\n"
                                 "  opyard bench env --envpool ../with-envpool/bin/python"});
  const auto words = std::make_shared<BenchEnvWords>();
  AddOptions(subcommand, *words);
  subcommand.callback([&command, words] {
    command = [words](const Console&) -> int {
      throw InputError(
          "opyard bench env: this is the program alone; its environments are of the Python "
          "package, whose command is called opyard, too: pip install . in the folder of the "
          "sources");
    };
  });
}

}  // namespace opyard::experiments
