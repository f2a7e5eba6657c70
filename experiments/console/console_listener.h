// Progress of a matrix of runs on standard error.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <ostream>
#include <string>

#include "experiments/matrix/run_listener.h"
#include "experiments/matrix/time_left.h"

namespace opyard::experiments {

enum class ProgressStyle : std::uint8_t {
  kSilent,
  kLines,  // one line per finished run, and each minute one for the runs under way
  kBar,    // one line that is rewritten, for terminals
};

// Notices are printed in every style. Thread-safe: runs may end on several threads.
class ConsoleListener final : public RunListener {
 public:
  // `err` outlives this. The bar is cut at `columns`.
  ConsoleListener(std::ostream& err, ProgressStyle style, std::size_t columns = 80);
  // Ends the line of the bar; that of a search without a matrix is wiped.
  ~ConsoleListener() override;
  ConsoleListener(const ConsoleListener&) = delete;
  ConsoleListener& operator=(const ConsoleListener&) = delete;

  void Noticed(const Notice& notice) override;
  void MatrixStarted(const MatrixStart& start) override;
  void TrainingWentOn(const std::string& agent, const TrainingProgress& so_far) override;
  void RunStarted(const CellKey& cell) override;
  // Shown at most ten times a second by the bar, every minute as a line.
  void RunWentOn(const CellKey& cell, const RunSoFar& so_far) override;
  void RunFinished(const RunRecord& record) override;

 private:
  using Clock = std::chrono::steady_clock;
  struct Running {
    Clock::time_point start;
    RunSoFar so_far;
  };

  // "[2/8] `what`, about 3 min left"; of a search without a matrix `what` alone.
  void Show(const std::string& what);
  // True once in a while, as the style has it.
  [[nodiscard]] bool IsDue();
  // The runs under way, each with its best so far.
  [[nodiscard]] std::string RunningText() const;
  [[nodiscard]] std::string TimeLeftText() const;

  std::ostream& err_;
  ProgressStyle style_;
  std::size_t columns_;
  std::mutex mutex_;  // guards what follows, and the stream
  std::size_t num_runs_ = 0;
  std::size_t num_done_ = 0;
  std::optional<TimeLeft> time_left_;
  std::map<CellKey, Running> running_;
  Clock::time_point last_shown_;
  bool is_line_open_ = false;
};

}  // namespace opyard::experiments
