#include "agents/planning/estimates/overtakings.h"

#include "sim/analysis/critical_path.h"

namespace opyard::agents {

std::vector<Overtaking> CriticalOvertakings(const CriticalStep& step) {
  const auto first_op = [&](sim::SpanId kernel) {
    return step.timeline.ops(static_cast<std::size_t>(kernel.index)).front();
  };
  std::vector<Overtaking> overtakings;
  for (const sim::CriticalPart& part : step.path) {
    if (part.kind == sim::PartKind::kQueueWait || part.kind == sim::PartKind::kStreamHead) {
      overtakings.push_back({.op = first_op(part.subject),
                             .ahead = first_op(*part.behind),
                             .seconds = part.duration().seconds()});
    }
  }
  return overtakings;
}

}  // namespace opyard::agents
