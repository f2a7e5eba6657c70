// GO on one problem.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "agents/learned/common/network_start.h"
#include "agents/learned/common/search_course.h"
#include "agents/learned/common/update_report.h"
#include "agents/learned/go/learner.h"
#include "agents/learned/go/settings.h"
#include "agents/learned/go/view.h"
#include "env/evaluator.h"

namespace opyard::agents::go {

// Deterministic in problem, options, seed and the evaluations of the budget; with a budget in
// seconds alone the schedules follow the clock (common/search_course.h). Used by one thread at a
// time.
class Search {
 public:
  // Whether the network would have a choice.
  [[nodiscard]] static bool HasChoice(const env::Problem& problem, const TrainingOptions& options);

  // With weights sampled from the seed, or with those of a file, whose network it then has. Throws
  // InputError with the reasons why that file does not fit. REQUIRES: HasChoice.
  Search(const env::Problem& problem,
         const TrainingOptions& options,
         std::uint64_t seed,
         const NetworkStart& start = {});

  // One step of the options' mode. Samples plans, has them evaluated and, unless it is zeroshot,
  // learns from them; with fewer plans left in the budget it samples fewer. A trained network's
  // likeliest plan of each resolution comes first. Nothing when the evaluator is done or was
  // interrupted, or after the last update of finetune.
  std::optional<UpdateReport> Update(env::Evaluator& evaluator);

  // The final policy's probability of each device for each group, from the network of the last
  // tasks (Learner::DeviceAffinity).
  [[nodiscard]] std::vector<double> DeviceAffinity();

  [[nodiscard]] Learner& learner() { return *learner_; }
  [[nodiscard]] const View& view() const { return view_; }

 private:
  Search(const env::Problem& problem,
         const TrainingOptions& options,
         std::uint64_t seed,
         const std::optional<Checkpoint>& found,
         const NetworkStart& start);

  // With weights sampled from `rng`, or with those that were found.
  void MakeLearner(Rng& rng);
  // Where the training is, in a sequential search that of the part that is due.
  TrainingProgress BeginPartIfDue(const env::Evaluator& evaluator);
  // A network for the task of a part of a sequential search, from the best plan so far.
  void BeginPart(std::int64_t part, const env::Evaluator& evaluator);
  // The best plan so far, if nothing is remembered: that of whoever searched before.
  void RememberBest(const env::Evaluator& evaluator);
  // Evaluates the likeliest plan of each resolution, from few rows to many, as far as the budget
  // goes: what is decided for few large parts is what a network gets right first. Rows too large
  // for most devices come last.
  UpdateReport EvaluateLikeliest(env::Evaluator& evaluator);
  [[nodiscard]] TrainingProgress Progress(const env::Evaluator& evaluator) const;
  void NoteResolution(std::size_t resolution, std::span<const env::Evaluation> evaluations);
  // The resolution that the next plans are sampled on: zeroshot takes that of its best plan, then
  // others in turn, each half as often as the one before, of half as many rows.
  [[nodiscard]] std::size_t ResolutionOfNext(const TrainingProgress& progress) const;
  [[nodiscard]] bool IsOver(const env::Evaluator& evaluator) const;
  // Zeroshot reports only.
  UpdateReport Learn(const Rollout& samples, double used_share, Rng& rng);

  TrainingOptions options_;
  NetworkStart start_;
  std::optional<Checkpoint>
      found_;  // the network that each part begins with; none: sampled weights
  View view_;
  std::vector<Task> tasks_;  // of all parts
  std::int64_t part_ = -1;   // of a sequential search
  SearchCourse course_;
  std::unique_ptr<Learner> learner_;
  RewardBaseline baseline_;
  Memory memory_;
  bool has_evaluated_likeliest_ = false;
  // The resolution that the best plan so far came of, and its score; of zeroshot.
  std::size_t best_resolution_ = 0;
  double best_score_ = std::numeric_limits<double>::infinity();
};

}  // namespace opyard::agents::go
