// The immutable description of a machine: devices, links, routes, and the rules of its simulation.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sim/base/ids.h"
#include "sim/base/units.h"
#include "sim/hardware/device.h"
#include "sim/hardware/link.h"
#include "sim/hardware/memory_pool.h"

namespace opyard::sim {

enum class Sharing : std::uint8_t { kSerial, kFair, kNone };
enum class OnePer : std::uint8_t { kDestination, kOutput, kEdge };
enum class OnExceed : std::uint8_t { kFail, kWait, kIgnore };
enum class Rules : std::uint8_t { kOpyard, kPlaceto, kRegal };

// The channels that one serial transfer occupies from start to end.
struct ChannelKinds {
  bool links = true;
  bool egress = true;
  bool ingress = true;
  bool pair = false;
};

struct TransferRules {
  Sharing sharing = Sharing::kSerial;
  ChannelKinds channels;
  OnePer one_per = OnePer::kDestination;
  SimTime gap_after;
};

// What the streams of one device do beside each other, in plans that have any.
enum class StreamRule : std::uint8_t {
  kSerial,    // the device runs one op at a time
  kParallel,  // each stream runs one op at a time, all of them at full rate
};

struct ExecutionRules {
  SimTime dispatch;
  SimTime gap_after_op;
  bool trailing_gaps_count = false;
  StreamRule streams = StreamRule::kSerial;
};

struct FusionLimits {
  std::int32_t max_ops = 64;
  std::int32_t max_depth_span = 32;
};

struct MemoryRules {
  OnExceed on_exceed = OnExceed::kFail;
  double reserve = 0.0;  // fraction of each device's memory kept back
};

// A route that the file gives, instead of the cheapest.
struct ExplicitRoute {
  DeviceId from;
  DeviceId to;
  std::vector<std::int32_t> links;  // indices into HardwareProfile::links, in order of travel
  std::optional<SimTime> latency;   // replaces the sum over the links
};

enum class ProvenanceKind : std::uint8_t { kDatasheet, kMeasured, kFitted, kAssumed };

// Where a number of a profile comes from.
struct Provenance {
  std::string key;  // dotted: "cost.gemm"
  ProvenanceKind kind = ProvenanceKind::kAssumed;
  std::string source;
  std::optional<double> median_error;
  std::string date;
  std::string software;
};

// Plain values; the reader (sim/io/machine/profile_yaml.h) has checked them. Share it as
// shared_ptr<const HardwareProfile>.
struct HardwareProfile {
  std::string name;
  std::vector<Device> devices;
  std::vector<MemoryPool> memory_pools;  // that devices name
  std::vector<std::string> switches;
  std::vector<Link> links;
  std::vector<ExplicitRoute> routes;
  Rules rules = Rules::kOpyard;
  ExecutionRules execution;
  FusionLimits fusion;
  TransferRules transfers;
  MemoryRules memory;
  std::vector<Provenance> provenance;

  [[nodiscard]] std::size_t num_devices() const { return devices.size(); }
  [[nodiscard]] std::optional<DeviceId> FindDevice(const std::string& device_name) const;
  // The name of a node: a device or a switch.
  [[nodiscard]] const std::string& node_name(NodeIndex node) const;
  // The bytes that ops and copies may use on `device`: memory · (1 − reserve), rounded down. For a
  // device in a memory pool it is the pool's memory, which the others of the pool use, too.
  [[nodiscard]] Bytes capacity(DeviceId device) const;
  // The same of memory pool `pool`.
  [[nodiscard]] Bytes pool_capacity(std::size_t pool) const;
  // The devices of memory pool `pool`, ascending.
  [[nodiscard]] std::vector<DeviceId> DevicesOfPool(std::size_t pool) const;
  [[nodiscard]] std::vector<std::string> DeviceNames() const;
};

}  // namespace opyard::sim
