#include "experiments/graphs/trace_steps.h"

#include <algorithm>
#include <string_view>

namespace opyard::experiments {
namespace {

constexpr std::int64_t kUnknown = -1;

std::vector<const TraceEvent*> Annotations(std::span<const TraceEvent> events,
                                           std::string_view beginning) {
  std::vector<const TraceEvent*> found;
  for (const TraceEvent& event : events) {
    if (event.role == TraceRole::kAnnotation && event.name.starts_with(beginning)) {
      found.push_back(&event);
    }
  }
  return found;
}

std::vector<std::int64_t> ByAnnotation(std::span<const TraceEvent> events,
                                       const std::vector<const TraceEvent*>& annotations) {
  std::vector<std::int64_t> steps;
  std::size_t next = 0;  // the first annotation that begins later
  for (const TraceEvent& event : events) {
    while (next < annotations.size() && annotations[next]->start_us <= event.start_us) {
      ++next;
    }
    const bool is_inside = next > 0 && event.start_us < annotations[next - 1]->end_us();
    steps.push_back(is_inside ? static_cast<std::int64_t>(next) - 1 : kUnknown);
  }
  return steps;
}

std::vector<std::int64_t> ByEnd(std::span<const TraceEvent> events,
                                const std::vector<const TraceEvent*>& updates) {
  std::vector<double> ends;
  for (const TraceEvent* update : updates) {
    ends.push_back(update->end_us());
  }
  std::ranges::sort(ends);
  std::vector<std::int64_t> steps;
  for (const TraceEvent& event : events) {
    steps.push_back(std::ranges::upper_bound(ends, event.start_us) - ends.begin());
  }
  return steps;
}

std::vector<std::int64_t> ByPass(std::span<const sim::Phase> passes) {
  std::vector<std::int64_t> steps;
  std::int64_t step = 0;
  bool has_backward = false;
  bool is_backward = false;
  for (const sim::Phase pass : passes) {
    if (pass != sim::Phase::kUnknown) {
      step += is_backward && pass == sim::Phase::kForward ? 1 : 0;
      is_backward = pass == sim::Phase::kBackward;
      has_backward = has_backward || is_backward;
    }
    steps.push_back(step);
  }
  if (!has_backward) {
    std::ranges::fill(steps, kUnknown);
  }
  return steps;
}

}  // namespace

std::vector<std::int64_t> StepsOf(std::span<const TraceEvent> events,
                                  std::span<const sim::Phase> passes) {
  if (const auto annotations = Annotations(events, "ProfilerStep#"); !annotations.empty()) {
    return ByAnnotation(events, annotations);
  }
  if (const auto updates = Annotations(events, "Optimizer.step#"); !updates.empty()) {
    return ByEnd(events, updates);
  }
  return ByPass(passes);
}

}  // namespace opyard::experiments
