// Tells on standard error how far a matrix of runs is.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <ostream>
#include <string>

#include "experiments/runner/store/run_record.h"
#include "sim/base/units.h"

namespace opyard::experiments {

enum class ProgressStyle : std::uint8_t {
  kSilent,
  kLines,  // one line per finished run
  kBar,    // one line that is rewritten, for terminals
};

// Thread-safe: runs may end on several threads.
class Progress {
 public:
  // `num_done` of `num_runs` were done before. `err` outlives this.
  Progress(std::ostream& err, ProgressStyle style, std::size_t num_runs, std::size_t num_done);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // A run goes on; shown at most ten times a second, and only by the bar. `best` is the least
  // makespan so far, if any plan completed.
  void Searching(const CellKey& cell, std::int64_t evaluations, std::optional<SimTime> best);
  void Finished(const RunRecord& record);

 private:
  void Show(const std::string& line);

  std::ostream& err_;
  ProgressStyle style_;
  std::size_t num_runs_;
  std::size_t num_done_;
  std::mutex mutex_;
  std::chrono::steady_clock::time_point last_shown_;
  bool is_line_open_ = false;
};

}  // namespace opyard::experiments
