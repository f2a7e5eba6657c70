#include "experiments/graphs/trace_calls.h"

#include <cstdint>
#include <map>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace opyard::experiments {
namespace {

// Ids of ops, and of annotations where no op has them; kNoEvent for an id that several ops have, as
// in joined traces of several processes.
std::unordered_map<std::int64_t, std::size_t> EventsById(std::span<const TraceEvent> events) {
  std::unordered_map<std::int64_t, std::size_t> by_id;
  for (const TraceRole role : {TraceRole::kAnnotation, TraceRole::kOp}) {
    std::unordered_map<std::int64_t, std::size_t> of_role;
    for (std::size_t i = 0; i < events.size(); ++i) {
      if (events[i].role == role && events[i].external_id.has_value()) {
        const auto [found, is_new] = of_role.try_emplace(*events[i].external_id, i);
        found->second = is_new ? i : kNoEvent;
      }
    }
    for (const auto& [id, event] : of_role) {
      by_id[id] = event;
    }
  }
  return by_id;
}

std::size_t FindById(const std::unordered_map<std::int64_t, std::size_t>& by_id,
                     const std::optional<std::int64_t>& id) {
  const auto found = id.has_value() ? by_id.find(*id) : by_id.end();
  return found == by_id.end() ? kNoEvent : found->second;
}

}  // namespace

std::vector<std::size_t> CallersOf(std::span<const TraceEvent> events) {
  std::vector<std::size_t> callers(events.size(), kNoEvent);
  std::map<std::pair<std::string_view, std::string_view>, std::vector<std::size_t>> open;
  for (std::size_t i = 0; i < events.size(); ++i) {
    const TraceEvent& event = events[i];
    if (event.role == TraceRole::kDevice) {
      continue;
    }
    std::vector<std::size_t>& stack = open[{event.process, event.thread}];
    while (!stack.empty() && events[stack.back()].end_us() <= event.start_us) {
      stack.pop_back();
    }
    callers[i] = stack.empty() ? kNoEvent : stack.back();
    if (event.role != TraceRole::kLauncher) {
      stack.push_back(i);
    }
  }
  return callers;
}

std::vector<std::size_t> LaunchersOf(std::span<const TraceEvent> events,
                                     std::span<const std::size_t> callers) {
  const auto by_id = EventsById(events);
  std::unordered_map<std::int64_t, std::size_t> by_correlation;
  for (std::size_t i = 0; i < events.size(); ++i) {
    if (events[i].role == TraceRole::kLauncher && events[i].correlation.has_value()) {
      by_correlation.try_emplace(*events[i].correlation, i);
    }
  }
  std::vector<std::size_t> launchers(events.size(), kNoEvent);
  for (std::size_t i = 0; i < events.size(); ++i) {
    if (events[i].role != TraceRole::kDevice) {
      continue;
    }
    launchers[i] = FindById(by_id, events[i].external_id);
    const std::size_t call = FindById(by_correlation, events[i].correlation);
    if (launchers[i] == kNoEvent && call != kNoEvent) {
      const std::size_t caller = callers[call];
      launchers[i] = caller == kNoEvent ? FindById(by_id, events[call].external_id) : caller;
    }
  }
  return launchers;
}

}  // namespace opyard::experiments
