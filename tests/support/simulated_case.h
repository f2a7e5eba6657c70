// A plan that has been run, with everything that explains it.
#pragma once

#include <memory>
#include <utility>

#include "sim/analysis/timeline.h"
#include "sim/hardware/routes.h"
#include "tests/support/agreement.h"

namespace opyard::testing {

// Runs `plan` once on the engine.
class SimulatedCase {
 public:
  SimulatedCase(std::shared_ptr<const sim::OpGraph> graph,
                const sim::HardwareProfile& hardware,
                sim::Plan plan)
      : both_(std::move(graph), hardware),
        routes_(both_.hardware()),
        plan_(std::move(plan)),
        report_(Report()),
        timeline_(sim::BuildTimeline(step())) {}

  [[nodiscard]] sim::SimulatedStep step() const {
    return {.graph = both_.graph(),
            .hardware = both_.hardware(),
            .routes = routes_,
            .plan = plan_,
            .report = report_};
  }
  [[nodiscard]] const EngineAndReference& both() const { return both_; }
  [[nodiscard]] const sim::SimReport& report() const { return report_; }
  [[nodiscard]] const sim::Timeline& timeline() const { return timeline_; }

 private:
  [[nodiscard]] sim::SimReport Report() const {
    sim::Workspace workspace;
    return both_.RunEngine(plan_, workspace);
  }

  EngineAndReference both_;
  sim::RouteTable routes_;
  sim::Plan plan_;
  sim::SimReport report_;
  sim::Timeline timeline_;
};

}  // namespace opyard::testing
