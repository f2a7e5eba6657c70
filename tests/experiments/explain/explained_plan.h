// A plan of a small problem, simulated, ready to be explained.
#pragma once

#include <memory>
#include <utility>

#include "env/problem.h"
#include "sim/analysis/critical_path.h"
#include "sim/analysis/timeline.h"
#include "sim/engine/simulator.h"

namespace opyard::experiments::testing {

class ExplainedPlan {
 public:
  ExplainedPlan(std::shared_ptr<const sim::OpGraph> graph,
                const sim::HardwareProfile& hardware,
                sim::Plan plan)
      : problem_(std::make_shared<const env::Problem>(
            env::ProblemSpec{.graph = std::move(graph),
                             .hardware = std::make_shared<const sim::HardwareProfile>(hardware),
                             .settings = {.decide_per = env::DecidePer::kOp}})),
        plan_(std::move(plan)),
        report_(Report()),
        timeline_(sim::BuildTimeline(step())) {
    if (report_.result.outcome == sim::Outcome::kCompleted) {
      path_ = sim::CriticalPath(timeline_, hardware);
    }
  }

  [[nodiscard]] sim::SimulatedStep step() const {
    return {.graph = problem_->graph(),
            .hardware = problem_->hardware(),
            .routes = problem_->routes(),
            .plan = plan_,
            .report = report_};
  }
  [[nodiscard]] const std::shared_ptr<const env::Problem>& problem() const { return problem_; }
  [[nodiscard]] const sim::Timeline& timeline() const { return timeline_; }
  [[nodiscard]] const std::vector<sim::CriticalPart>& path() const { return path_; }

 private:
  [[nodiscard]] sim::SimReport Report() const {
    sim::Workspace workspace;
    return problem_->simulator().RunReport(plan_, workspace);
  }

  std::shared_ptr<const env::Problem> problem_;
  sim::Plan plan_;
  sim::SimReport report_;
  sim::Timeline timeline_;
  std::vector<sim::CriticalPart> path_;
};

}  // namespace opyard::experiments::testing
