// Results of a simulation: the short answer of the fast path, and the full report.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/base/ids.h"
#include "sim/base/units.h"

namespace opyard::sim {

enum class Outcome : std::uint8_t {
  kCompleted,
  kOutOfMemory,
  kDeadlock,
  kCutOff,  // given up, since it would have taken longer than the caller cares for
};
[[nodiscard]] const char* NameOf(Outcome outcome);

// The short answer. Otherwise than completed, `makespan` is the instant at which nothing went on.
struct SimResult {
  Outcome outcome = Outcome::kCompleted;
  SimTime makespan;
  Bytes peak_memory;  // the greatest over all devices
  std::int64_t num_transfers = 0;
  friend bool operator==(const SimResult&, const SimResult&) = default;
};

// When one op, or the kernel that it is part of, ran, and where. Never run: no value.
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
  std::int64_t priority = 0;  // the plan's, or what its readers have
  friend bool operator==(const TransferSpan&, const TransferSpan&) = default;
};

// From `time` until its next sample, `device` holds `in_use`; before its first, nothing.
struct MemorySample {
  SimTime time;
  DeviceId device;
  Bytes in_use;
};

struct DeviceReport {
  std::string name;
  SimTime busy;
  // The rest of the makespan, by reason.
  SimTime idle_no_ready_work;
  SimTime idle_waiting_for_memory;
  SimTime idle_stream_head;  // something was issued, but behind the head of its stream
  SimTime idle_dispatch;     // something was ready, but the host had not issued it
  SimTime idle_gap;          // resting after an op
  Bytes peak_memory;
  SimTime peak_instant;
  Bytes capacity;
  Bytes resident;  // parameters, held from 0 to the end
};

// A memory that devices share.
struct MemoryPoolReport {
  std::string name;
  Bytes peak_memory;  // of all its devices together
  SimTime peak_instant;
  Bytes capacity;
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
  std::string memory_pool;  // that is full; empty if it is the device's own memory
  SimTime time;
  // "op mm", "copy of mm:0" or "parameters of mm"; for a kernel of several ops the first of them:
  // "op mm (fused with 2 more)".
  std::string what;
  Bytes requested;
  Bytes in_use;  // of the pool, if there is one, as are its capacity and its residents
  Bytes capacity;
  std::vector<Resident> largest_residents;  // at most ten, largest first
};

// Why nothing could go on although work was left.
struct DeadlockReport {
  SimTime time;
  std::vector<std::string> waits;  // "op mm on gpu0 waits for 12 bytes: 5 of 10 are in use"
  std::int64_t num_waits = 0;      // all of them; `waits` names at most twenty
  // Of an order that can never go on: "op 3 "c" waits for op 1 "a", which stands behind op 3 "c"".
  std::string cycle;
};

// The full answer. `ops` and `groups` are indexed by OpId.
struct SimReport {
  SimResult result;
  SimTime plan_bound;
  SimTime problem_bound;
  std::vector<DeviceReport> devices;
  std::vector<MemoryPoolReport> memory_pools;  // of machines that have any
  std::vector<ChannelReport> channels;
  std::vector<std::optional<OpSpan>> ops;
  // The kernel that the op is part of, by the least topological index of its ops.
  std::vector<std::int32_t> groups;
  // Ops in order of their start, which `ops` does not say where work takes no time; those of a
  // kernel by topological index.
  std::vector<OpId> start_order;
  // The time by which the op's kernel takes longer than alone, since others use the bandwidth of
  // its memory pool. [num_ops]; empty without pools.
  std::vector<SimTime> bandwidth_waits;
  std::vector<TransferSpan> transfers;  // in order of their start
  std::vector<MemorySample> memory;     // in order of time; the last of one time counts
  std::optional<OutOfMemoryReport> failure;
  std::optional<DeadlockReport> deadlock;
};

}  // namespace opyard::sim
