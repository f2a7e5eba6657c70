#include "experiments/tracking/tracked_tuning.h"

#include <cstdint>
#include <cstdio>
#include <memory>
#include <set>
#include <type_traits>
#include <variant>

#include "experiments/store/folder_name.h"

namespace opyard::experiments {
namespace {

Scalars NumbersOf(const Options& params) {
  Scalars scalars;
  for (const auto& [name, option] : params.values()) {
    std::visit(
        [&, &param = name](const auto& value) {
          if constexpr (std::is_arithmetic_v<std::decay_t<decltype(value)>>) {
            scalars.emplace_back("params/" + param, static_cast<double>(value));
          }
        },
        option);
  }
  return scalars;
}

// The runs of the trials that have begun.
class TrialRuns {
 public:
  TrialRuns(std::string folder, Tracker& tracker) : folder_(std::move(folder)), tracker_(tracker) {}
  ~TrialRuns() {
    for (const std::string& run : begun_) {
      tracker_.End(run);
    }
  }
  TrialRuns(const TrialRuns&) = delete;
  TrialRuns& operator=(const TrialRuns&) = delete;

  void AddScore(const TrialScore& score) {
    const std::string run = Begin(score.run.trial);
    if (score.run.problem == 0) {
      tracker_.Add(run, 0, NumbersOf(score.params));
    }
    if (score.score.has_value()) {
      tracker_.Add(run, Step(score.run.problem), {{"tuning/score", *score.score}});
    }
  }

  void AddRound(const TuningStandings& standings) {
    for (const auto& [trial, improvement] : standings.improvements) {
      tracker_.Add(
          Begin(trial), Step(standings.num_problems), {{"tuning/improvement", improvement}});
    }
  }

 private:
  static std::int64_t Step(std::size_t number) { return static_cast<std::int64_t>(number); }

  std::string Begin(std::size_t trial) {
    char name[32];
    std::snprintf(name, sizeof name, "/trial%03zu", trial);
    std::string run = folder_ + name;
    if (begun_.insert(run).second) {
      tracker_.Begin(run, 0, Tracker::Former::kKept);
    }
    return run;
  }

  std::string folder_;
  Tracker& tracker_;
  std::set<std::string> begun_;
};

}  // namespace

TuningRequest Tracked(TuningRequest request, Tracker& tracker) {
  const auto runs =
      std::make_shared<TrialRuns>("tuning/" + FolderName(request.agent.label), tracker);
  request.on_score = [runs](const TrialScore& score) { runs->AddScore(score); };
  request.on_round = [runs](const TuningStandings& standings) { runs->AddRound(standings); };
  return request;
}

}  // namespace opyard::experiments
