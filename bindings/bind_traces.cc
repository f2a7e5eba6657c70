// opyard._core.read_trace: the events of a trace of PyTorch's profiler.
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include "bindings/bindings.h"
#include "experiments/graphs/trace_calls.h"
#include "experiments/graphs/trace_events.h"
#include "sim/base/input_file.h"
#include "sim/io/text/text_file.h"

namespace opyard::bindings {

namespace py = pybind11;

namespace {

using experiments::TraceEvent;
using experiments::TraceRole;

// The events, and for each which called and which launched it.
struct LinkedEvents {
  std::vector<TraceEvent> events;
  std::vector<std::size_t> callers;
  std::vector<std::size_t> launchers;
};

LinkedEvents ReadLinkedEvents(const std::filesystem::path& path) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  std::string text = sim::ReadTextFile(path);
  text.erase(0, text.starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0);
  LinkedEvents linked;
  linked.events = experiments::ReadTraceEvents(
      std::move(text), InputName(path), experiments::TraceInputs::kKept);
  linked.callers = experiments::CallersOf(linked.events);
  linked.launchers = experiments::LaunchersOf(linked.events, linked.callers);
  return linked;
}

const char* NameOfRole(TraceRole role) {
  switch (role) {
    case TraceRole::kOp:
      return "op";
    case TraceRole::kAnnotation:
      return "annotation";
    case TraceRole::kLauncher:
      return "launcher";
    case TraceRole::kDevice:
      break;
  }
  return "kernel";
}

// Indices with -1 for no event.
std::vector<std::int64_t> IndicesOf(const std::vector<std::size_t>& events) {
  std::vector<std::int64_t> indices(events.size());
  for (std::size_t i = 0; i < events.size(); ++i) {
    indices[i] = events[i] == experiments::kNoEvent ? -1 : static_cast<std::int64_t>(events[i]);
  }
  return indices;
}

template <class Value>
py::list ListOf(const std::vector<TraceEvent>& events, Value value) {
  py::list list(events.size());
  for (std::size_t i = 0; i < events.size(); ++i) {
    list[i] = py::cast(value(events[i]));
  }
  return list;
}

py::dict ReadTrace(const std::filesystem::path& path) {
  LinkedEvents linked;
  {
    const py::gil_scoped_release released;
    linked = ReadLinkedEvents(path);
  }
  const std::vector<TraceEvent>& events = linked.events;
  py::dict columns;
  columns["name"] = ListOf(events, [](const TraceEvent& event) { return event.name; });
  columns["role"] = ListOf(events, [](const TraceEvent& event) { return NameOfRole(event.role); });
  columns["track"] =
      ListOf(events, [](const TraceEvent& event) { return event.process + "/" + event.thread; });
  columns["start_us"] = ListOf(events, [](const TraceEvent& event) { return event.start_us; });
  columns["length_us"] = ListOf(events, [](const TraceEvent& event) { return event.length_us; });
  columns["inputs"] = ListOf(events, [](const TraceEvent& event) { return event.inputs; });
  columns["caller"] = IndicesOf(linked.callers);
  columns["launcher"] = IndicesOf(linked.launchers);
  return columns;
}

}  // namespace

void BindTraces(py::module_& module) {
  module.def(
      "read_trace", &ReadTrace, py::arg("path"), R"(The events of a trace of PyTorch's profiler.

Args:
    path: A trace as `export_chrome_trace` writes it, plain or gzip.

Returns:
    Lists of one length, sorted by start: ``name``, ``role`` ("op", "annotation", "launcher",
    "kernel"), ``track`` (process and thread), ``start_us``, ``length_us``, ``inputs`` (JSON of what
    ``record_shapes`` adds to ops, or an empty text), and the index of the event within which each
    began (``caller``) and of the op that launched it (``launcher``), -1 for none.

Raises:
    InputError: The file is no trace, or a time in it is none.
)");
}

}  // namespace opyard::bindings
