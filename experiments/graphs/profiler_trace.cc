#include "experiments/graphs/profiler_trace.h"

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <utility>
#include <vector>

#include "experiments/graphs/trace_calls.h"
#include "experiments/graphs/trace_events.h"
#include "experiments/graphs/trace_steps.h"

namespace opyard::experiments {
namespace {

constexpr std::string_view kUpdate = "Optimizer.step#";

// "autograd::engine::evaluate_function: MmBackward0" and the "MmBackward0" within.
bool IsBackwardNode(std::string_view name) {
  if (name.starts_with("autograd::engine::evaluate_function")) {
    return true;
  }
  const std::size_t last = name.find_last_not_of("0123456789");
  return name.substr(0, last == std::string_view::npos ? 0 : last + 1).ends_with("Backward");
}

// True if what runs within the event is no op of a graph.
bool IsOutsideOfGraphs(std::string_view name) {
  return name.starts_with("Optimizer.zero_grad#") ||
         name.find("torch::autograd::AccumulateGrad") != std::string_view::npos;
}

// Puts together what belongs to one timing.
class TraceTimings {
 public:
  TraceTimings(const std::vector<TraceEvent>& events, const ProfiledTypes& types)
      : events_(events),
        callers_(CallersOf(events)),
        launchers_(LaunchersOf(events, callers_)),
        owners_(events.size(), kNoEvent),
        is_backward_(events.size()) {
    FindTypes(types);
    for (std::size_t i = 0; i < events_.size(); ++i) {
      FindOwner(i);
      has_device_ = has_device_ || events_[i].role == TraceRole::kDevice;
    }
  }

  Timings Collect() {
    seconds_.resize(events_.size());
    is_measured_.assign(events_.size(), !has_device_);
    has_device_ ? AddKernels() : AddOwnTimes();
    const std::vector<std::int64_t> steps = StepsOf(events_, Passes());
    Timings timings{.measured = has_device_ ? sim::Measured::kKernel : sim::Measured::kWithLaunch,
                    .is_trace = true,
                    .num_lost = num_lost_};
    for (std::size_t i = 0; i < events_.size(); ++i) {
      if (owners_[i] == i && IsListed(i)) {
        timings.list.push_back({.name = events_[i].name,
                                .seconds = seconds_[i],
                                .type = types_[i],
                                .phase = PhaseOf(i),
                                .step = steps[i],
                                .is_measured = is_measured_[i]});
      }
    }
    return timings;
  }

 private:
  void FindTypes(const ProfiledTypes& types) {
    types_.resize(events_.size());
    std::vector<bool> has_typed_part(events_.size());
    // From the inside out: what is called begins after its caller.
    for (std::size_t i = events_.size(); i-- > 0;) {
      const TraceEvent& event = events_[i];
      if (event.role == TraceRole::kOp && !(has_typed_part[i] && StandsForItsPart(event.name))) {
        types_[i] = types.TypeIn(event.name);
      } else if (event.name.starts_with(kUpdate) && types.HasUpdates()) {
        types_[i] = ProfiledTypes::kUpdates;
      }
      if (callers_[i] != kNoEvent && (has_typed_part[i] || !types_[i].empty())) {
        has_typed_part[callers_[i]] = true;
      }
    }
  }

  // Sets the owner of a host's event. AddKernels sets that of a device's event: itself, if nobody
  // else owns it.
  void FindOwner(std::size_t i) {
    const TraceEvent& event = events_[i];
    const std::size_t caller = callers_[i];
    const bool is_host = event.role == TraceRole::kOp || event.role == TraceRole::kAnnotation;
    if (!is_host) {
      return;
    }
    is_backward_[i] = IsBackwardNode(event.name) || (caller != kNoEvent && is_backward_[caller]);
    const std::size_t owner = caller == kNoEvent ? kNoEvent : owners_[caller];
    if (owner != kNoEvent && HoldsItsParts(owner)) {
      owners_[i] = owner;
    } else if (event.role == TraceRole::kOp || HoldsItsParts(i)) {
      owners_[i] = i;
    } else {
      owners_[i] = kNoEvent;  // what a user annotates is no work of its own
    }
  }

  [[nodiscard]] bool HoldsItsParts(std::size_t i) const {
    return !types_[i].empty() || events_[i].name.starts_with(kUpdate) ||
           IsOutsideOfGraphs(events_[i].name);
  }

  void AddKernels() {
    for (std::size_t i = 0; i < events_.size(); ++i) {
      if (events_[i].role != TraceRole::kDevice) {
        continue;
      }
      const std::size_t launcher = launchers_[i];
      const std::size_t owner = launcher == kNoEvent ? kNoEvent : owners_[launcher];
      const std::size_t timing = owner == kNoEvent ? i : owner;
      owners_[i] = timing;
      if (events_[i].length_us == 0.0) {
        ++num_lost_;
        lost_.push_back(timing);
      } else {
        seconds_[timing] += events_[i].length_us * 1e-6;
        is_measured_[timing] = true;
      }
    }
    for (const std::size_t timing : lost_) {
      is_measured_[timing] = false;
    }
  }

  // Adds the own time of each op to the timing that it is part of.
  void AddOwnTimes() {
    std::vector<double> own_us(events_.size());
    for (std::size_t i = 0; i < events_.size(); ++i) {
      if (events_[i].role != TraceRole::kOp) {
        continue;
      }
      own_us[i] += events_[i].length_us;
      if (const std::size_t caller = CallingOp(i); caller != kNoEvent) {
        own_us[caller] -= events_[i].length_us;
      }
    }
    for (std::size_t i = 0; i < events_.size(); ++i) {
      if (events_[i].role == TraceRole::kOp) {
        seconds_[owners_[i]] += std::max(own_us[i], 0.0) * 1e-6;
      }
    }
  }

  [[nodiscard]] std::size_t CallingOp(std::size_t i) const {
    std::size_t caller = callers_[i];
    while (caller != kNoEvent && events_[caller].role != TraceRole::kOp) {
      caller = callers_[caller];
    }
    return caller;
  }

  // Not what only called ops that did the work.
  [[nodiscard]] bool IsListed(std::size_t i) const {
    return !types_[i].empty() || seconds_[i] > 0.0;
  }

  [[nodiscard]] sim::Phase PhaseOf(std::size_t i) const {
    return is_backward_[i] ? sim::Phase::kBackward : sim::Phase::kForward;
  }

  // The passes of the graph's ops, for the steps.
  [[nodiscard]] std::vector<sim::Phase> Passes() const {
    std::vector<sim::Phase> passes(events_.size(), sim::Phase::kUnknown);
    for (std::size_t i = 0; i < events_.size(); ++i) {
      if (owners_[i] == i && !types_[i].empty() && types_[i] != ProfiledTypes::kUpdates) {
        passes[i] = PhaseOf(i);
      }
    }
    return passes;
  }

  const std::vector<TraceEvent>& events_;
  std::vector<std::size_t> callers_;
  std::vector<std::size_t> launchers_;
  std::vector<std::size_t> owners_;  // the timing that an event is part of; kNoEvent: of none
  std::vector<bool> is_backward_;
  std::vector<std::string> types_;
  std::vector<double> seconds_;
  std::vector<bool> is_measured_;
  std::vector<std::size_t> lost_;  // timings that lack a kernel
  std::int64_t num_lost_ = 0;
  bool has_device_ = false;
};

}  // namespace

Timings ReadProfilerTrace(std::string text, const std::string& place, const ProfiledTypes& types) {
  const std::vector<TraceEvent> events = ReadTraceEvents(std::move(text), place);
  return TraceTimings(events, types).Collect();
}

}  // namespace opyard::experiments
