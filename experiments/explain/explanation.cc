#include "experiments/explain/explanation.h"

#include "sim/engine/simulator.h"

namespace opyard::experiments {
namespace {

constexpr std::size_t kMostLinks = 5;

}  // namespace

std::vector<sim::CriticalPart> PathOf(const sim::SimulatedStep& step,
                                      const sim::Timeline& timeline) {
  if (timeline.outcome != sim::Outcome::kCompleted) {
    return {};
  }
  return sim::CriticalPath(timeline, step.hardware);
}

Explanation Explain(const std::shared_ptr<const env::Problem>& problem,
                    const sim::SimulatedStep& step,
                    const ExplainOptions& options) {
  sim::Workspace workspace;
  Explanation explanation{
      .timeline = sim::BuildTimeline(step),
      .peak_residents = problem->simulator().PeakResidents(step.plan, workspace)};
  explanation.path = PathOf(step, explanation.timeline);
  if (options.depth == ExplainDepth::kOneRun) {
    return explanation;
  }
  explanation.what_ifs =
      AskWhatIf(*problem, step, explanation.timeline, kMostLinks, options.num_threads);
  if (step.report.result.outcome == sim::Outcome::kCompleted) {
    explanation.counterfactuals =
        FindCounterfactuals(problem,
                            step,
                            explanation.timeline,
                            explanation.path,
                            {.num_threads = options.num_threads, .interrupt = options.interrupt});
  }
  return explanation;
}

}  // namespace opyard::experiments
