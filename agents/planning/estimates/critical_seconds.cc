#include "agents/planning/estimates/critical_seconds.h"

#include <span>
#include <utility>

#include "agents/planning/encoding/decisions.h"
#include "sim/analysis/critical_path.h"
#include "sim/analysis/timeline.h"

namespace opyard::agents {
namespace {

// Adds up what ops are blamed for.
class Blame {
 public:
  Blame(const env::Problem& problem, const sim::Timeline& timeline)
      : problem_(problem), timeline_(timeline), seconds_(NumGroups(problem), 0.0) {}

  void Add(const sim::CriticalPart& part) {
    const double seconds = part.duration().seconds();
    if (part.behind.has_value()) {
      AddSpan(part.subject, seconds / 2.0);
      AddSpan(*part.behind, seconds / 2.0);
    } else {
      AddSpan(part.subject, seconds);
    }
  }

  [[nodiscard]] std::vector<double> Take() && { return std::move(seconds_); }

 private:
  // A transfer is its producer's.
  void AddSpan(const sim::SpanId& span, double seconds) {
    const auto index = static_cast<std::size_t>(span.index);
    const auto kernel = span.kind == sim::SpanKind::kKernel
                            ? index
                            : static_cast<std::size_t>(timeline_.transfers[index].producer);
    const std::span<const OpId> ops = timeline_.ops(kernel);
    for (const OpId op : ops) {
      seconds_[GroupOf(problem_, op)] += seconds / static_cast<double>(ops.size());
    }
  }

  const env::Problem& problem_;
  const sim::Timeline& timeline_;
  std::vector<double> seconds_;
};

}  // namespace

std::vector<double> CriticalSeconds(const env::Problem& problem, const CriticalStep& step) {
  Blame blame(problem, step.timeline);
  for (const sim::CriticalPart& part : step.path) {
    blame.Add(part);
  }
  return std::move(blame).Take();
}

}  // namespace opyard::agents
