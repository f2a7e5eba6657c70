// What one simulation says: the short answer of the fast path, and the full report.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/base/ids.h"
#include "sim/base/units.h"

namespace opyard::sim {

enum class Outcome : std::uint8_t { kCompleted, kOutOfMemory, kDeadlock };
[[nodiscard]] const char* NameOf(Outcome outcome);

// The short answer. When memory ran out, `makespan` is the instant it did.
struct SimResult {
  Outcome outcome = Outcome::kCompleted;
  SimTime makespan;
  Bytes peak_memory;  // the greatest over all devices
  std::int64_t num_transfers = 0;
  friend bool operator==(const SimResult&, const SimResult&) = default;
};

// When one op ran, and where. Never run: no value.
struct OpSpan {
  DeviceId device;
  SimTime start;
  SimTime finish;
  friend bool operator==(const OpSpan&, const OpSpan&) = default;
};

// One copy of a tensor over the machine's channels.
struct TransferSpan {
  TensorId tensor;
  DeviceId src;
  DeviceId dst;
  SimTime offered;
  SimTime start;
  SimTime finish;
  friend bool operator==(const TransferSpan&, const TransferSpan&) = default;
};

struct DeviceReport {
  std::string name;
  SimTime busy;
  SimTime idle_no_ready_work;  // makespan − busy
  Bytes peak_memory;
  SimTime peak_instant;
  Bytes capacity;
  Bytes resident;  // parameters, held from 0 to the end
};

struct ChannelReport {
  std::string name;
  SimTime busy;
  Bytes bytes;
};

// Something that held memory when it ran out.
struct Resident {
  std::string name;  // "OP:OUTPUT" or "copy of OP:OUTPUT", "parameters of OP", "workspace of OP"
  Bytes bytes;
};

// Why a simulation could not complete.
struct OutOfMemoryReport {
  std::string device;
  SimTime time;
  std::string what;  // "op mm", "copy of mm:0" or "parameters of mm"
  Bytes requested;
  Bytes in_use;
  Bytes capacity;
  std::vector<Resident> largest_residents;  // at most ten, largest first
};

// The full answer. `ops` is indexed by OpId.
struct SimReport {
  SimResult result;
  SimTime plan_bound;
  SimTime problem_bound;
  std::vector<DeviceReport> devices;
  std::vector<ChannelReport> channels;
  std::vector<std::optional<OpSpan>> ops;
  std::vector<TransferSpan> transfers;  // in order of their start
  std::optional<OutOfMemoryReport> failure;
};

}  // namespace opyard::sim
