#include "experiments/graphs/trace_events.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <limits>
#include <map>
#include <string_view>
#include <utility>

#include "experiments/graphs/bare_numbers.h"
#include "experiments/graphs/profiled_types.h"
#include "sim/base/error.h"
#include "sim/base/quote.h"
#include "sim/base/units.h"
#include "sim/io/json/json_kind.h"
#include "sim/io/json/json_tree.h"
#include "sim/io/json/json_tree_text.h"

namespace opyard::experiments {
namespace {

constexpr sim::WantedJson kWanted = {
    .what = "a profiler's trace, or a table (.csv)",
    .family = {},
    .body_key = "traceEvents",
    .advice = "export_chrome_trace of PyTorch's profiler writes one"};

// Categories of work on a device, in PyTorch 1.8 to 1.10 and in later versions.
constexpr std::array<std::string_view, 7> kDeviceCategories = {
    "kernel", "concurrent_kernel", "gpu_memcpy", "gpu_memset", "memcpy", "memset", "gpu_mem_copy"};
// Tracks that repeat what others say, or that are no work of an op.
constexpr std::array<std::string_view, 12> kOtherCategories = {"gpu_user_annotation",
                                                               "python_function",
                                                               "python function",
                                                               "trace",
                                                               "overhead",
                                                               "cpu_instant_event",
                                                               "cuda_sync",
                                                               "cuda_event",
                                                               "cuda_profiler_range",
                                                               "external_correlation",
                                                               "collective_comm",
                                                               "mtia_workloadd"};
constexpr std::array<std::string_view, 4> kAnnotations = {
    "ProfilerStep#", "Optimizer.step#", "Optimizer.zero_grad#", "enumerate(DataLoader)#"};

// Nothing for a track that says nothing of ops.
std::optional<TraceRole> RoleOf(const std::string& category, const std::string& name) {
  const std::string lower = LowerCase(category);
  if (std::ranges::find(kOtherCategories, lower) != kOtherCategories.end()) {
    return std::nullopt;
  }
  if (std::ranges::find(kDeviceCategories, lower) != kDeviceCategories.end()) {
    return TraceRole::kDevice;
  }
  if (lower == "runtime" || lower.ends_with("_runtime") || lower.ends_with("_driver")) {
    return TraceRole::kLauncher;
  }
  const bool is_annotation =
      lower == "user_annotation" || std::ranges::any_of(kAnnotations, [&](std::string_view begin) {
        return name.starts_with(begin);
      });
  return is_annotation ? TraceRole::kAnnotation : TraceRole::kOp;
}

// A time as the file writes it.
struct WrittenTime {
  bool is_there = false;
  double value = std::numeric_limits<double>::quiet_NaN();  // of what is no number
};

// The keys of the inputs of an op.
constexpr std::array<std::string_view, 4> kInputKeys = {
    "Input Dims", "Input type", "Input Strides", "Concrete Inputs"};

// An event as the file writes it.
struct WrittenEvent {
  std::string phase;
  std::string category;
  WrittenTime start;
  WrittenTime length;
  TraceEvent event;
};

WrittenTime TimeOf(const sim::JsonNode& node) {
  switch (node.kind) {
    case sim::JsonKind::kInteger:
      return {.is_there = true, .value = static_cast<double>(node.integer)};
    case sim::JsonKind::kFloat:
    case sim::JsonKind::kBigInteger:
      return {.is_there = true, .value = node.number};
    default:
      return {.is_there = true};
  }
}

std::string TextOf(const sim::JsonTree& element, const sim::JsonNode& node) {
  return node.kind == sim::JsonKind::kString ? std::string(element.View(node.text))
                                             : std::to_string(TimeOf(node).value);
}

std::optional<std::int64_t> IdOf(const sim::JsonTree& element, const sim::JsonNode& node) {
  if (node.kind == sim::JsonKind::kInteger) {
    return node.integer;
  }
  std::int64_t id = 0;
  const std::string_view text =
      node.kind == sim::JsonKind::kString ? element.View(node.text) : std::string_view{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), id);
  const bool is_id = !text.empty() && error == std::errc() && end == text.data() + text.size();
  return is_id ? std::optional(id) : std::nullopt;
}

// The members of `args` that say what an op was given, as one JSON object; empty for none.
std::string InputsIn(const sim::JsonTree& element, std::uint32_t args) {
  std::string text;
  for (std::uint32_t i = args + 1; i < element.nodes[args].end; i = element.nodes[i].end) {
    const std::string_view key = element.View(element.nodes[i].key);
    if (std::ranges::find(kInputKeys, key) != kInputKeys.end()) {
      text +=
          (text.empty() ? "{\"" : ",\"") + std::string(key) + "\":" + sim::JsonTextOf(element, i);
    }
  }
  return text.empty() ? text : text + "}";
}

void TakeIds(const sim::JsonTree& element, std::uint32_t args, TraceEvent& event) {
  for (std::uint32_t i = args + 1; i < element.nodes[args].end; i = element.nodes[i].end) {
    const std::string key = LowerCase(element.View(element.nodes[i].key));
    if (key == "external id") {
      event.external_id = IdOf(element, element.nodes[i]);
    } else if (key == "correlation") {
      event.correlation = IdOf(element, element.nodes[i]);
    }
  }
}

void TakeMember(const sim::JsonTree& element,
                std::uint32_t index,
                TraceInputs inputs,
                WrittenEvent& written) {
  const sim::JsonNode& member = element.nodes[index];
  const std::string_view key = element.View(member.key);
  if (key == "name") {
    written.event.name = TextOf(element, member);
  } else if (key == "ph") {
    written.phase = TextOf(element, member);
  } else if (key == "cat") {
    written.category = TextOf(element, member);
  } else if (key == "pid") {
    written.event.process = TextOf(element, member);
  } else if (key == "tid") {
    written.event.thread = TextOf(element, member);
  } else if (key == "ts") {
    written.start = TimeOf(member);
  } else if (key == "dur") {
    written.length = TimeOf(member);
  } else if (key == "args" && member.kind == sim::JsonKind::kObject) {
    TakeIds(element, index, written.event);
    if (inputs == TraceInputs::kKept) {
      written.event.inputs = InputsIn(element, index);
    }
  }
}

WrittenEvent WrittenIn(const sim::JsonTree& element, TraceInputs inputs) {
  WrittenEvent written;
  if (element.nodes[0].kind == sim::JsonKind::kObject) {
    for (std::uint32_t i = 1; i < element.nodes[0].end; i = element.nodes[i].end) {
      TakeMember(element, i, inputs, written);
    }
  }
  return written;
}

std::string NumberText(double value) {
  return std::isnan(value) ? "that is no finite number" : "of " + std::to_string(value) + " us";
}

class EventReader {
 public:
  EventReader(const std::string& place, TraceInputs inputs) : place_(place), inputs_(inputs) {}

  void Take(const sim::JsonTree& element, std::size_t index) {
    WrittenEvent written = WrittenIn(element, inputs_);
    if (written.phase != "X" && written.phase != "B" && written.phase != "E") {
      return;
    }
    place_of_event_ = place_ + "#/traceEvents/" + std::to_string(index);
    const auto role = RoleOf(written.category, written.event.name);
    const bool is_end = written.phase == "E";
    if (!is_end && !role.has_value()) {
      return;
    }
    written.event.role = role.value_or(TraceRole::kOp);
    TakeStart(written);
    if (written.phase == "X") {
      TakeLength(written);
      events_.push_back(std::move(written.event));
    } else {
      marks_.push_back({.event = std::move(written.event), .is_end = is_end});
    }
  }

  std::vector<TraceEvent> Finish() {
    diagnostics_.ThrowIfAny();
    JoinPairs();
    std::ranges::stable_sort(events_, [](const TraceEvent& a, const TraceEvent& b) {
      return a.start_us != b.start_us ? a.start_us < b.start_us : a.length_us > b.length_us;
    });
    return std::move(events_);
  }

 private:
  void TakeStart(WrittenEvent& written) {
    written.event.start_us = written.start.is_there ? written.start.value : 0.0;
    if (!std::isfinite(written.event.start_us)) {
      Report(written.event, "found a ts that is no finite number");
      written.event.start_us = 0.0;
    }
  }

  void TakeLength(WrittenEvent& written) {
    const double length = written.length.value;
    if (!written.length.is_there) {
      Report(written.event, "found no dur");
    } else if (!FitsInSimTime(length * 1e-6)) {
      Report(written.event, "found a dur " + NumberText(length));
    } else {
      written.event.length_us = length;
    }
  }

  void Report(const TraceEvent& event, const std::string& found) {
    diagnostics_.AddError(place_of_event_ + ": event " + Quoted(event.name),
                          found + ", expected microseconds, up to 4.6e12");
  }

  // Each E closes the last B of its thread that is open.
  void JoinPairs() {
    std::ranges::stable_sort(marks_, {}, [](const Mark& mark) { return mark.event.start_us; });
    std::map<std::pair<std::string, std::string>, std::vector<TraceEvent>> open;
    for (Mark& mark : marks_) {
      std::vector<TraceEvent>& stack = open[{mark.event.process, mark.event.thread}];
      if (!mark.is_end) {
        stack.push_back(std::move(mark.event));
      } else if (!stack.empty()) {
        stack.back().length_us = mark.event.start_us - stack.back().start_us;
        events_.push_back(std::move(stack.back()));
        stack.pop_back();
      }
    }
  }

  struct Mark {
    TraceEvent event;  // of an end only the thread and the time
    bool is_end = false;
  };

  const std::string& place_;
  TraceInputs inputs_;
  std::string place_of_event_;
  Diagnostics diagnostics_;
  std::vector<TraceEvent> events_;
  std::vector<Mark> marks_;  // B and E
};

}  // namespace

std::vector<TraceEvent> ReadTraceEvents(std::string text,
                                        const std::string& place,
                                        TraceInputs inputs) {
  QuoteNonFiniteNumbers(text);
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first != std::string::npos && text[first] == '[') {
    text.insert(0, R"({"traceEvents":)");
    text += '}';
  }
  EventReader reader(place, inputs);
  bool is_any = false;
  Diagnostics diagnostics;
  const auto take = [&](const sim::JsonTree& element, std::size_t index) {
    is_any = true;
    reader.Take(element, index);
    return true;
  };
  static_cast<void>(
      sim::ParseJson(text, place, diagnostics, {.key = "traceEvents", .on_element = take}));
  diagnostics.ThrowIfAny();
  std::vector<TraceEvent> events = reader.Finish();
  if (!is_any) {
    sim::ThrowIfOfAnotherKind(text, place, kWanted);
  }
  return events;
}

}  // namespace opyard::experiments
