// The events of a trace of PyTorch's profiler that say what an op took.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace opyard::experiments {

enum class TraceRole : std::uint8_t {
  kOp,          // of the host: "cpu_op", or no category that is known to mean something else
  kAnnotation,  // what a program named: "Optimizer.step#SGD.step", "ProfilerStep#3"
  kLauncher,    // a call of a device's runtime or driver
  kDevice,      // a kernel or a copy that a device ran
};

// Something that took time. Times are in microseconds.
struct TraceEvent {
  std::string name;
  TraceRole role = TraceRole::kOp;
  std::string process;
  std::string thread;
  double start_us = 0.0;
  double length_us = 0.0;
  // "External id": of an op or annotation its own; else of the one that launched or was launched
  // by.
  std::optional<std::int64_t> external_id;
  std::optional<std::int64_t> correlation;  // joins a launcher with what the device ran for it
  // "Input Dims", "Input type", "Input Strides" and "Concrete Inputs" of an op, as one JSON object
  // with those of these keys that it has; only where TraceInputs::kKept is asked for.
  std::string inputs;

  [[nodiscard]] double end_us() const { return start_us + length_us; }
};

// The inputs that `record_shapes` of the profiler adds to ops.
enum class TraceInputs : std::uint8_t { kDropped, kKept };

// Reads the complete events of `text`, an object with `traceEvents` or the bare list of them: those
// of phase X and pairs of B and E, whatever their order in the file. They are sorted by start, what
// begins together from the outside in. Repetitions of other tracks (annotations of the device,
// Python frames, synchronisations) are left out. Numbers that JSON does not have (inf, nan) are
// read, and refused where they are a time. Throws InputError naming the place: text that is no
// JSON, and for every event whose time is missing, negative, not finite or above 4.6e6 s its name.
[[nodiscard]] std::vector<TraceEvent> ReadTraceEvents(std::string text,
                                                      const std::string& place,
                                                      TraceInputs inputs = TraceInputs::kDropped);

}  // namespace opyard::experiments
