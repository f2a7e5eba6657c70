#include "experiments/graphs/plan_reading.h"

#include <utility>

#include "experiments/text/number_format.h"
#include "sim/base/quote.h"
#include "sim/io/plan/plan_json.h"

namespace opyard::experiments {

sim::Plan LoadPlan(const std::string& path,
                   const sim::OpGraph& graph,
                   const sim::HardwareProfile& hardware,
                   const NoticeListener& notices) {
  sim::PlanOfGraph read = sim::ReadNamedPlanFile(path, graph, hardware);
  if (!read.graph.empty() && read.graph != graph.name()) {
    notices({.kind = NoticeKind::kWarning,
             .text = OneLine(path) + " was written for the graph " + OneLine(Quoted(read.graph)) +
                     ", this one is " + OneLine(Quoted(graph.name())) + "\n"});
  }
  return std::move(read.plan);
}

}  // namespace opyard::experiments
