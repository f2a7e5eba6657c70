#include "experiments/runner/graphs/profiler_trace.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "sim/base/error.h"
#include "sim/io/json/json_kind.h"
#include "sim/io/json/json_tree.h"

namespace opyard::experiments {
namespace {

constexpr std::array<std::string_view, 3> kKernelCategories = {
    "kernel", "gpu_memcpy", "gpu_memset"};

constexpr sim::WantedJson kWanted = {
    .what = "a profiler's trace, or a table (.csv)",
    .family = {},
    .body_key = "traceEvents",
    .advice = "export_chrome_trace of PyTorch's profiler writes one"};

// A complete event.
struct Event {
  std::string name;
  std::string category;
  std::string process;
  std::string thread;
  double start_us = 0.0;
  double length_us = -1.0;                  // no time: refused as one
  std::optional<std::int64_t> external_id;  // of an op, or of the op that launched this kernel
};

bool IsKernel(const Event& event) {
  return std::ranges::find(kKernelCategories, event.category) != kKernelCategories.end();
}

double NumberOf(const sim::JsonNode& node) {
  switch (node.kind) {
    case sim::JsonKind::kInteger:
      return static_cast<double>(node.integer);
    case sim::JsonKind::kFloat:
    case sim::JsonKind::kBigInteger:
      return node.number;
    default:
      return -1.0;
  }
}

std::string TextOf(const sim::JsonTree& element, const sim::JsonNode& node) {
  return node.kind == sim::JsonKind::kString ? std::string(element.View(node.text))
                                             : std::to_string(NumberOf(node));
}

std::optional<std::int64_t> ExternalIdIn(const sim::JsonTree& element, std::uint32_t args) {
  for (std::uint32_t i = args + 1; i < element.nodes[args].end; i = element.nodes[i].end) {
    const sim::JsonNode& member = element.nodes[i];
    if (element.View(member.key) == "External id" && member.kind == sim::JsonKind::kInteger) {
      return member.integer;
    }
  }
  return std::nullopt;
}

void TakeMember(const sim::JsonTree& element, std::uint32_t index, Event& event) {
  const sim::JsonNode& member = element.nodes[index];
  const std::string_view key = element.View(member.key);
  if (key == "name") {
    event.name = TextOf(element, member);
  } else if (key == "cat") {
    event.category = TextOf(element, member);
  } else if (key == "pid") {
    event.process = TextOf(element, member);
  } else if (key == "tid") {
    event.thread = TextOf(element, member);
  } else if (key == "ts") {
    event.start_us = NumberOf(member);
  } else if (key == "dur") {
    event.length_us = NumberOf(member);
  } else if (key == "args" && member.kind == sim::JsonKind::kObject) {
    event.external_id = ExternalIdIn(element, index);
  }
}

// The complete event that `element` is, if it is one.
std::optional<Event> EventOf(const sim::JsonTree& element) {
  if (element.nodes[0].kind != sim::JsonKind::kObject) {
    return std::nullopt;
  }
  Event event;
  bool is_complete = false;
  for (std::uint32_t i = 1; i < element.nodes[0].end; i = element.nodes[i].end) {
    const sim::JsonNode& member = element.nodes[i];
    is_complete =
        is_complete || (element.View(member.key) == "ph" && member.kind == sim::JsonKind::kString &&
                        element.View(member.text) == "X");
    TakeMember(element, i, event);
  }
  return is_complete ? std::optional(std::move(event)) : std::nullopt;
}

std::vector<Event> ReadEvents(std::string_view text, const std::string& place) {
  std::vector<Event> events;
  ProblemList problems;
  const auto take = [&](const sim::JsonTree& element, std::size_t index) {
    if (std::optional<Event> event = EventOf(element)) {
      static_cast<void>(CheckedSeconds(event->length_us * 1e-6,
                                       place + "#/traceEvents/" + std::to_string(index)));
      events.push_back(std::move(*event));
    }
    return true;
  };
  static_cast<void>(
      sim::ParseJson(text, place, problems, {.key = "traceEvents", .on_element = take}));
  problems.ThrowIfAny();
  if (events.empty()) {
    sim::ThrowIfOfAnotherKind(text, place, kWanted);
  }
  // What begins together is listed from the outside in.
  std::ranges::stable_sort(events, [](const Event& a, const Event& b) {
    return a.start_us != b.start_us ? a.start_us < b.start_us : a.length_us > b.length_us;
  });
  return events;
}

// Puts together what belongs to one timing.
class TraceTimings {
 public:
  TraceTimings(const std::vector<Event>& events, const ProfiledTypes& types)
      : events_(events), types_(types) {
    for (const Event& event : events) {
      if (IsKernel(event)) {
        has_kernels_ = true;
        kernels_us_[event.external_id.value_or(-1)] += event.length_us;
      }
    }
  }

  Timings Collect() {
    for (const Event& event : events_) {
      if (!IsKernel(event)) {
        Add(event);
      }
    }
    return {.list = std::move(timings_),
            .measured = has_kernels_ ? sim::Measured::kKernel : sim::Measured::kWithLaunch};
  }

 private:
  // The last op on a thread that may be one of the graph.
  struct OpenOp {
    double end_us = -std::numeric_limits<double>::infinity();
    std::size_t timing = 0;
  };

  void Add(const Event& event) {
    OpenOp& open = open_[{event.process, event.thread}];
    if (event.start_us < open.end_us) {
      timings_[open.timing].seconds += KernelSeconds(event);
      return;
    }
    if (!types_.TypeIn(event.name).empty()) {
      open = {.end_us = event.start_us + event.length_us, .timing = timings_.size()};
    }
    timings_.push_back({.name = event.name,
                        .seconds = has_kernels_ ? KernelSeconds(event) : event.length_us * 1e-6});
  }

  // Of what the event launched itself.
  [[nodiscard]] double KernelSeconds(const Event& event) const {
    const auto found = kernels_us_.find(event.external_id.value_or(-2));
    return found == kernels_us_.end() ? 0.0 : found->second * 1e-6;
  }

  const std::vector<Event>& events_;
  const ProfiledTypes& types_;
  bool has_kernels_ = false;
  std::map<std::int64_t, double> kernels_us_;                   // by the op that launched them
  std::map<std::pair<std::string, std::string>, OpenOp> open_;  // by process and thread
  std::vector<Timing> timings_;
};

}  // namespace

Timings ReadProfilerTrace(std::string_view text,
                          const std::string& place,
                          const ProfiledTypes& types) {
  const std::vector<Event> events = ReadEvents(text, place);
  return TraceTimings(events, types).Collect();
}

}  // namespace opyard::experiments
