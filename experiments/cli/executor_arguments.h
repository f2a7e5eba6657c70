// The arguments that choose who runs an experiment, a training or a tuning: this process, or the
// executors of the Python package (docs/scale-out.md).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace CLI {
class App;
}  // namespace CLI

namespace opyard::experiments {

// As they are given. This program reads only whether `executor` is "local".
struct ExecutorWords {
  std::string executor = "local";
  std::string ray_address;
  std::vector<std::string> slurm_options;
  std::int64_t time_limit_minutes = 0;
  bool is_submitted = false;
  // Settings of the pieces of a matrix:
  std::int64_t num_pieces = 0;
  std::int64_t cpus_per_piece = 0;
  std::int64_t most_at_once = 0;
};

// --executor, and what belongs to all executors of one piece of work. `words` outlives
// `subcommand`.
void AddExecutorArguments(CLI::App& subcommand, ExecutorWords& words);

// The arguments that divide a matrix into pieces.
void AddPieceArguments(CLI::App& subcommand, ExecutorWords& words);

// Throws InputError if `words` ask for another executor than this process, or hold an option of
// one. `subcommand` is the name for the message.
void RefuseOtherExecutors(const ExecutorWords& words, const std::string& subcommand);

}  // namespace opyard::experiments
