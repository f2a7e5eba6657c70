#include "experiments/matrix/search_overhead.h"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "env/evaluation.h"
#include "sim/base/rng.h"
#include "sim/base/stopwatch.h"
#include "sim/engine/run/workspace.h"

namespace opyard::experiments {
namespace {

std::vector<sim::Plan> PlansOf(const agents::SearchRequest& request,
                               const agents::AgentRegistry& registry) {
  std::vector<sim::Plan> plans;
  env::Evaluator evaluator(request.problem,
                           {.budget = request.budget,
                            .interrupt = request.interrupt,
                            .on_evaluation = [&](const sim::Plan& plan, const env::Evaluation&) {
                              plans.push_back(plan);
                              plans.back().transfer_priority.clear();
                            }});
  Rng rng(static_cast<std::uint64_t>(request.seed));
  registry.Make(request.agent, request.params)->Search(*request.problem, evaluator, rng, {});
  return plans;
}

double SecondsOf(const std::vector<sim::Plan>& plans, const env::Problem& problem) {
  sim::Workspace workspace;
  const Stopwatch watch;
  for (const sim::Plan& plan : plans) {
    static_cast<void>(env::EvaluateUncounted(problem, plan, workspace));
  }
  return watch.cpu_seconds();
}

}  // namespace

SearchOverhead MeasureOverhead(const agents::SearchRequest& request,
                               std::size_t repeats,
                               const agents::AgentRegistry& registry) {
  const std::vector<sim::Plan> plans = PlansOf(request, registry);
  SearchOverhead least{.search = agents::RunSearch(request, registry),
                       .runs_seconds = SecondsOf(plans, *request.problem)};
  for (std::size_t i = 1; i < repeats && !least.search.was_interrupted; ++i) {
    agents::SearchResult search = agents::RunSearch(request, registry);
    const double seconds = std::min(search.seconds, least.search.seconds);
    if (search.cpu_seconds < least.search.cpu_seconds) {
      least.search = std::move(search);
    }
    least.search.seconds = seconds;
    least.runs_seconds = std::min(least.runs_seconds, SecondsOf(plans, *request.problem));
  }
  return least;
}

}  // namespace opyard::experiments
