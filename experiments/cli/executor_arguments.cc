#include "experiments/cli/executor_arguments.h"

#include <utility>

#include <CLI/CLI.hpp>

#include "experiments/cli/value_checks.h"
#include "experiments/store/shard.h"
#include "sim/base/error.h"

namespace opyard::experiments {
namespace {

constexpr const char* kLocal = "local";
constexpr std::int64_t kMostCpus = 1024;
constexpr std::int64_t kMostMinutes = 525'600;  // a year

// Whether each option of the other executors was given.
std::vector<std::pair<std::string, bool>> OptionsOfOthers(const ExecutorWords& words) {
  return {{"--ray-address", !words.ray_address.empty()},
          {"--slurm-option", !words.slurm_options.empty()},
          {"--time-limit", words.time_limit_minutes != 0},
          {"--submit", words.is_submitted},
          {"--pieces", words.num_pieces != 0},
          {"--cpus-per-piece", words.cpus_per_piece != 0},
          {"--at-once", words.most_at_once != 0}};
}

}  // namespace

void AddExecutorArguments(CLI::App& subcommand, ExecutorWords& words) {
  subcommand
      .add_option("--executor",
                  words.executor,
                  "who works: local (this process), ray (a cluster), slurm (writes scripts); the "
                  "last two: Python package")
      ->check(CLI::IsMember({kLocal, "ray", "slurm"}))
      ->type_name("EXECUTOR");
  subcommand
      .add_option("--ray-address",
                  words.ray_address,
                  "of the cluster (default: RAY_ADDRESS, or a Ray of its own on this machine)")
      ->type_name("ADDRESS");
  subcommand
      .add_option("--slurm-option",
                  words.slurm_options,
                  "a line of #SBATCH, e.g. --slurm-option=--partition=long")
      ->type_name("OPTION")
      ->expected(1)
      ->take_all();
  subcommand
      .add_option("--time-limit",
                  words.time_limit_minutes,
                  "minutes of a Slurm job, which is queued again when they end (default: 60)")
      ->check(WholeNumber(5, kMostMinutes))
      ->type_name("MINUTES");
  subcommand.add_flag("--submit", words.is_submitted, "hand the scripts to sbatch");
}

void AddPieceArguments(CLI::App& subcommand, ExecutorWords& words) {
  subcommand.add_option("--pieces", words.num_pieces, "pieces of the matrix for ray and slurm")
      ->check(WholeNumber(1, kMostShards))
      ->type_name("N");
  subcommand
      .add_option("--cpus-per-piece", words.cpus_per_piece, "cores of each piece (default: 1)")
      ->check(WholeNumber(1, kMostCpus))
      ->type_name("N");
  subcommand
      .add_option("--at-once", words.most_at_once, "Slurm jobs that run at once (default: all)")
      ->check(WholeNumber(1, kMostShards))
      ->type_name("N");
}

void RefuseOtherExecutors(const ExecutorWords& words, const std::string& subcommand) {
  if (words.executor != kLocal) {
    throw InputError("opyard " + subcommand + " --executor " + words.executor +
                     ": this is the program alone; the Python package, whose command is called "
                     "opyard, too, has this executor: pip install '.[ray]' in the folder of the "
                     "sources (slurm: pip install .)");
  }
  for (const auto& [option, is_given] : OptionsOfOthers(words)) {
    if (is_given) {
      throw InputError(option + ": found it with --executor local, expected ray or slurm there");
    }
  }
}

}  // namespace opyard::experiments
