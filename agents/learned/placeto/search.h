// Placeto on one problem: trains its policy as long as the budget lasts.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "agents/learned/common/network_start.h"
#include "agents/learned/common/search_course.h"
#include "agents/learned/common/step_baseline.h"
#include "agents/learned/placeto/episode.h"
#include "agents/learned/placeto/learner.h"
#include "agents/learned/placeto/settings.h"
#include "agents/learned/placeto/view.h"
#include "env/evaluator.h"

namespace opyard::agents::placeto {

// Deterministic in problem, options, seed and the evaluations of the budget; with a budget in
// seconds alone the schedules follow the clock (common/search_course.h). Used by one thread at a
// time.
class Search {
 public:
  // Whether the network would have a choice between devices.
  [[nodiscard]] static bool HasChoice(const env::Problem& problem, const TrainingOptions& options);

  // With weights sampled from the seed, or with those of a file, whose network it then has. Throws
  // InputError with the reasons why that file does not fit. REQUIRES: problem.tasks().placement,
  // and that some group has a choice.
  Search(const env::Problem& problem,
         const TrainingOptions& options,
         std::uint64_t seed,
         const NetworkStart& start = {});

  // Plays the episodes of an update and makes one step of Adam, if it learns. Nothing when the
  // budget ended before they did: then no step was made. A policy that collapsed while it was paid
  // for entropy gives way to a fresh one, which is trained over what is left of the budget.
  std::optional<UpdateReport> Update(env::Evaluator& evaluator);

  [[nodiscard]] Learner& learner() { return *learner_; }
  [[nodiscard]] const View& view() const { return view_; }

 private:
  // Evaluates the plans that the first episode may begin at. False when the budget ended.
  bool EvaluateInitialPlans(env::Evaluator& evaluator);
  // The options of the episode that comes next.
  [[nodiscard]] EpisodeOptions NextEpisode() const;
  // Plays the episode number `index` of an update. Nothing when the budget ended before.
  [[nodiscard]] std::optional<Episode> PlayNext(std::size_t index,
                                                env::Evaluator& evaluator,
                                                Rng& rng);
  // Begins with the weights that the course says, and with nothing behind it.
  void StartAnew();

  TrainingOptions options_;
  torch::Device device_;
  View view_;
  Sizes sizes_;
  SearchCourse course_;
  std::unique_ptr<Learner> learner_;
  StepBaseline baseline_;
  std::optional<EvaluatedState> best_;  // where the next episode begins, if KeepsBest
  std::vector<EvaluatedState> firsts_;  // where each episode of an update begins, if kOneRandom
};

// `sizes` for a problem: a faithful network is made for its devices.
[[nodiscard]] Sizes Fitted(Sizes sizes, const View& view);

// The weight of entropy in an update, and its step size.
[[nodiscard]] Schedule ScheduleAt(const TrainingOptions& options, const TrainingProgress& progress);

}  // namespace opyard::agents::placeto
