#include "experiments/matrix/references.h"

#include "env/reward.h"
#include "sim/base/error.h"
#include "sim/base/stopwatch.h"

namespace opyard::experiments {
namespace {

ReferencedProblem With(const env::Problem& problem, const ReferenceRecord& record) {
  return {.problem = std::make_shared<const env::Problem>(
              problem, env::Reference{.makespan = record.makespan, .score = record.score}),
          .record = record};
}

// The problem with `best`, found in `seconds` and `cpu_seconds`; without one, rules provide it.
ReferencedProblem With(const env::Problem& problem,
                       const std::optional<env::Reference>& best,
                       double seconds,
                       std::optional<double> cpu_seconds) {
  const Stopwatch watch;
  const env::Reference reference = best.has_value() ? *best : env::FindReference(problem);
  if (cpu_seconds.has_value()) {
    *cpu_seconds += watch.cpu_seconds();
  }
  return With(problem,
              {.score = reference.score,
               .makespan = reference.makespan,
               .seconds = seconds + watch.seconds(),
               .cpu_seconds = cpu_seconds});
}

// A reference of which only the score is known. Rewards read no more; its makespan is the score
// where that is one, else the bound.
ReferenceRecord RecordOf(const env::Problem& problem, double score) {
  ReferenceRecord record{.score = score,
                         .makespan = problem.objective_scale().reference_makespan,
                         .seconds = 0.0,
                         .cpu_seconds = 0.0};
  if (problem.objective().kind == env::ObjectiveKind::kMakespan) {
    if (!FitsInSimTime(score)) {
      throw InputError("reference: found " + ToText(score) +
                       " s, expected the makespan of a plan in seconds");
    }
    record.makespan = SimTime::FromSeconds(score);
  }
  return record;
}

ReferencedProblem FoundBySingleDevice(const agents::SearchRequest& request,
                                      const agents::AgentRegistry& registry) {
  agents::SearchRequest baseline = request;
  baseline.agent = env::ProblemSettings().baseline;
  baseline.params = {};
  baseline.seed = 0;
  baseline.on_progress = {};
  baseline.on_update = {};
  const agents::SearchResult answer = agents::RunSearch(baseline, registry);
  return With(*request.problem, answer.reference(), answer.seconds, answer.cpu_seconds);
}

}  // namespace

bool NeedsReference(const std::string& agent, const agents::AgentRegistry& registry) {
  return registry.Get(agent).info.kind == agents::AgentKind::kLearned;
}

ReferencedProblem Referenced(const env::Problem& problem, const BaselineSearch& search) {
  return With(problem, search.best, search.seconds, search.cpu_seconds);
}

ReferencedProblem Referenced(const env::Problem& problem, const RunRecord& baseline) {
  std::optional<env::Reference> best;
  if (baseline.makespan.has_value() && baseline.score.has_value()) {
    best = env::Reference{.makespan = *baseline.makespan, .score = *baseline.score};
  }
  return With(problem, best, baseline.seconds, baseline.cpu_seconds);
}

ReferencedProblem Referenced(const env::Problem& problem, const ReferenceRecord& record) {
  return With(problem, record);
}

LoneSearch RunLoneSearch(agents::SearchRequest request,
                         std::optional<double> score,
                         const agents::AgentRegistry& registry) {
  if (!NeedsReference(request.agent, registry)) {
    return {.result = agents::RunSearch(request, registry), .reference = std::nullopt};
  }
  const ReferencedProblem referenced =
      score.has_value() ? With(*request.problem, RecordOf(*request.problem, *score))
                        : FoundBySingleDevice(request, registry);
  request.problem = referenced.problem;
  return {.result = agents::RunSearch(request, registry), .reference = referenced.record};
}

}  // namespace opyard::experiments
