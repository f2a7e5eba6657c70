#include "experiments/cli/json/place_answer.h"

#include <nlohmann/json.hpp>

#include "experiments/explain/report_json.h"
#include "experiments/graphs/measured_text.h"

namespace opyard::experiments {

std::string PlaceJson(const PlaceQuestion& question,
                      const SearchAnswer& answer,
                      const env::Problem& problem,
                      const std::vector<MemoryNeed>& needs) {
  using Json = nlohmann::ordered_json;
  const MeasuredCoverage coverage = MeasuredCoverageOn(problem);
  const env::Evaluation& best = answer.best->evaluation;
  const auto& reference = answer.reference;
  const Json json = {{"graph", question.graph},
                     {"hardware", question.hardware},
                     {"agent", question.agent},
                     {"seed", question.seed},
                     {"outcome", sim::NameOf(best.result.outcome)},
                     {"makespan_s", best.result.makespan.seconds()},
                     {"score", answer.is_feasible() ? Json(best.score) : Json(nullptr)},
                     {"problem_bound_s", problem.problem_bound().seconds()},
                     {"timed_ops", coverage.num_ops},
                     {"measured_ops", coverage.num_measured},
                     {"peak_memory_bytes", best.result.peak_memory.count},
                     {"transfers", best.result.num_transfers},
                     {"needs", NeedsJson(needs)},
                     {"account", answer.account.empty() ? Json(nullptr) : Json(answer.account)},
                     {"evaluations", answer.evaluations},
                     {"failures", answer.failures},
                     {"seconds", answer.seconds},
                     {"cpu_seconds", answer.cpu_seconds},
                     {"reference_score", reference ? Json(reference->score) : Json(nullptr)},
                     {"reference_seconds", reference ? Json(reference->seconds) : Json(nullptr)},
                     {"reference_cpu_seconds",
                      reference ? Json(reference->cpu_seconds.value_or(0.0)) : Json(nullptr)}};
  return json.dump();
}

}  // namespace opyard::experiments
