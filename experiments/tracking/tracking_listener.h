// Writes the runs of a matrix to a tracker.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>

#include "experiments/matrix/run_listener.h"
#include "experiments/tracking/tracker.h"

namespace opyard::experiments {

// The run of a search: "GRAPH.MACHINE/AGENT/seedN".
[[nodiscard]] std::string RunNameOf(const CellKey& cell);
// The run of a training: "training/AGENT/seedN".
[[nodiscard]] std::string TrainingRunName(const std::string& agent, std::int64_t seed);

// A search is written at each improvement, and else once a second; its steps are evaluations. Each
// update of an agent that learns is, too; its steps are updates. Thread-safe.
class TrackingListener final : public RunListener {
 public:
  // `tracker` outlives this.
  explicit TrackingListener(Tracker& tracker);
  // Writes what is left of runs that never finished.
  ~TrackingListener() override;
  TrackingListener(const TrackingListener&) = delete;
  TrackingListener& operator=(const TrackingListener&) = delete;

  void Noticed(const Notice& notice) override;
  void MatrixStarted(const MatrixStart& start) override;
  void TrainingWentOn(const std::string& agent, const TrainingProgress& so_far) override;
  void RunStarted(const CellKey& cell) override;
  void RunWentOn(const CellKey& cell, const RunSoFar& so_far) override;
  void RunFinished(const RunRecord& record) override;

 private:
  using Clock = std::chrono::steady_clock;
  struct Search {
    std::string run;
    RunSoFar last;
    std::int64_t written_evaluations = 0;
    std::optional<double> written_score;
    Clock::time_point written;
  };

  void Write(Search& search);
  void Finish(Search& search);

  Tracker& tracker_;
  std::mutex mutex_;  // guards what follows
  std::map<CellKey, Search> searches_;
  std::set<std::string> trainings_;
};

}  // namespace opyard::experiments
