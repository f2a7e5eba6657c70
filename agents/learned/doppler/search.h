// DOPPLER on one problem: imitates its teacher, then learns as long as the budget lasts.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "agents/learned/common/network_start.h"
#include "agents/learned/common/search_course.h"
#include "agents/learned/common/update_report.h"
#include "agents/learned/doppler/elites.h"
#include "agents/learned/doppler/learner.h"
#include "agents/learned/doppler/settings.h"
#include "agents/learned/doppler/view.h"
#include "env/evaluator.h"

namespace opyard::agents::doppler {

// Deterministic in problem, options, seed and the evaluations of the budget; with a budget in
// seconds alone the schedules follow the clock (common/search_course.h). Used by one thread at a
// time.
class Search {
 public:
  // Whether the networks would have a choice.
  [[nodiscard]] static bool HasChoice(const env::Problem& problem, const TrainingOptions& options);

  // With weights sampled from the seed, or with those of a file, whose networks it then has and
  // whose stage of imitation is over. Throws InputError with the reasons why that file does not
  // fit. REQUIRES: HasChoice.
  Search(const env::Problem& problem,
         const TrainingOptions& options,
         std::uint64_t seed,
         const NetworkStart& start = {});

  // Stage 1, once for fresh networks: each update plays episodes, which are not evaluated, and
  // makes the teacher's choices in them likelier. Ends early when the evaluator is done. With
  // Teacher::kBest the list schedule is evaluated before and, if there is a best plan, that
  // for the nodes, too; episodes that imitate that plan have its placement.
  void Imitate(env::Evaluator& evaluator);
  // An update of stage 2, after Imitate where that is due: plays episodes, has their plans
  // evaluated and makes a step of Adam. With fewer plans left in the budget it plays fewer. Nothing
  // when the evaluator is done or was interrupted: then no step was made.
  std::optional<UpdateReport> Update(env::Evaluator& evaluator);

  [[nodiscard]] Learner& learner() { return *learner_; }
  [[nodiscard]] const View& view() const { return view_; }

 private:
  Search(const env::Problem& problem,
         const TrainingOptions& options,
         std::uint64_t seed,
         const std::optional<Checkpoint>& found,
         const NetworkStart& start);
  // The ActOptions::target of the teacher that is to be imitated.
  [[nodiscard]] std::vector<std::int64_t> ChooseTeacher(env::Evaluator& evaluator, Rng& rng);
  // The cost of the episode that the teacher plays; nothing when no budget is left.
  [[nodiscard]] std::optional<double> EvaluateTeacher(const std::vector<std::int64_t>& target,
                                                      env::Evaluator& evaluator,
                                                      Rng& rng);
  // Begins with the weights that the course says, and with nothing behind it.
  void StartAnew();
  // One per episode; the costs count from then on.
  [[nodiscard]] std::vector<double> AdvantagesOf(const std::vector<double>& costs);
  // One step along `advantages`, and towards the elites.
  void Learn(std::vector<Episode> episodes,
             std::vector<double> advantages,
             const TrainingProgress& progress,
             UpdateReport& report);

  TrainingOptions options_;
  torch::Device device_;
  Sizes sizes_;
  View view_;
  SearchCourse course_;
  std::unique_ptr<Learner> learner_;
  Elites elites_;
  bool is_imitation_due_ = false;
  double sum_of_costs_ = 0.0;
  std::int64_t num_costs_ = 0;
};

// score ÷ reference score; 10 for a plan that did not complete (env::kFailureReward).
[[nodiscard]] double CostOf(const env::Evaluation& evaluation, double reference_score);

}  // namespace opyard::agents::doppler
