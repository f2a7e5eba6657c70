// Tells on standard error how far a matrix of runs is.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <ostream>
#include <string>

#include "experiments/runner/runs/run_listener.h"

namespace opyard::experiments {

enum class ProgressStyle : std::uint8_t {
  kSilent,
  kLines,  // one line per finished run
  kBar,    // one line that is rewritten, for terminals
};

// Notices are printed in every style. Thread-safe: runs may end on several threads.
class ConsoleListener final : public RunListener {
 public:
  // `err` outlives this.
  ConsoleListener(std::ostream& err, ProgressStyle style);
  // Ends the line of the bar.
  ~ConsoleListener() override;
  ConsoleListener(const ConsoleListener&) = delete;
  ConsoleListener& operator=(const ConsoleListener&) = delete;

  void Noticed(const Notice& notice) override;
  void MatrixStarted(std::size_t num_runs, std::size_t num_done) override;
  void RunStarted(const CellKey& cell) override;
  // Shown at most ten times a second, and only by the bar.
  void RunWentOn(const CellKey& cell, const RunSoFar& so_far) override;
  void RunFinished(const RunRecord& record) override;

 private:
  // "[2/8] GRAPH · MACHINE · AGENT · seed 0: `what`".
  void Show(const CellKey& cell, const std::string& what);

  std::ostream& err_;
  ProgressStyle style_;
  std::mutex mutex_;  // guards what follows, and the stream
  std::size_t num_runs_ = 0;
  std::size_t num_done_ = 0;
  std::chrono::steady_clock::time_point last_shown_;
  bool is_line_open_ = false;
};

}  // namespace opyard::experiments
