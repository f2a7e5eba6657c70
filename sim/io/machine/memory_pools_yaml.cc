#include "sim/io/machine/memory_pools_yaml.h"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "sim/base/quote.h"
#include "sim/io/machine/yaml_fields.h"

namespace opyard::sim {
namespace {

constexpr std::size_t kMostPools = 1024;  // as many as devices

std::vector<std::string> PoolNames(const HardwareProfile& machine) {
  std::vector<std::string> names;
  for (const MemoryPool& pool : machine.memory_pools) {
    names.push_back(pool.name);
  }
  return names;
}

void ReadPoolMemory(YamlReader& reader, const YamlNode& node, MemoryPool& pool) {
  const std::optional<Bytes> memory = reader.Size(node);
  Assign(memory, pool.memory);
  if (memory && memory->count == 0) {
    reader.Problem(node, "memory is zero, expected more than 0 B");
  }
}

void ReadPool(YamlReader& reader, const YamlNode& node, HardwareProfile& machine) {
  MemoryPool pool;
  YamlMap map(reader, node, "memory pool");
  if (const YamlNode* name = map.Required("name")) {
    Assign(reader.Name(*name), pool.name);
    if (std::ranges::find(machine.memory_pools, pool.name, &MemoryPool::name) !=
        machine.memory_pools.end()) {
      reader.Problem(*name, "the name " + Quoted(pool.name) + " stands for two memory pools");
    }
  }
  if (const YamlNode* memory = map.Required("memory")) {
    ReadPoolMemory(reader, *memory, pool);
  }
  if (const YamlNode* bandwidth = map.Required("bandwidth")) {
    Assign(ReadPositiveRate(
               reader, *bandwidth, reader.BytesPerSecond(*bandwidth), "memory pool bandwidth"),
           pool.bandwidth_bytes_per_s);
  }
  map.Finish();
  machine.memory_pools.push_back(std::move(pool));
}

// The problem of one pool at `node`, if it has one.
void CheckPool(YamlReader& reader,
               const YamlNode& node,
               const HardwareProfile& machine,
               std::size_t index) {
  const MemoryPool& pool = machine.memory_pools[index];
  const std::vector<DeviceId> devices = machine.DevicesOfPool(index);
  if (devices.empty()) {
    reader.Problem(node,
                   "no device names the memory pool " + Quoted(pool.name) +
                       ", expected `memory_pool: " + pool.name + "` at one device or more");
  }
  for (const DeviceId id : devices) {
    const Device& device = machine.devices[id.index()];
    if (device.memory_bandwidth_bytes_per_s > pool.bandwidth_bytes_per_s) {
      reader.Problem(node,
                     "the bandwidth of the memory pool " + Quoted(pool.name) +
                         " is less than the memory_bandwidth of its device " + Quoted(device.name) +
                         ", expected as much or more");
      return;
    }
  }
}

}  // namespace

void ReadMemoryPools(YamlMap& file, HardwareProfile& machine) {
  const YamlNode* node = file.Optional("memory_pools");
  const std::vector<YamlNode>* items =
      node == nullptr ? nullptr : file.reader().Items(*node, "memory_pools");
  if (items == nullptr) {
    return;
  }
  if (items->size() > kMostPools) {
    file.reader().Problem(
        *node, "the machine has more than " + std::to_string(kMostPools) + " memory pools");
    return;
  }
  for (const YamlNode& item : *items) {
    ReadPool(file.reader(), item, machine);
  }
}

std::int32_t ReadPoolOfDevice(YamlMap& device, const HardwareProfile& machine) {
  const YamlNode* node = device.Optional("memory_pool");
  const auto name = node == nullptr ? std::nullopt : device.reader().Name(*node);
  if (!name) {
    return Device::kNoMemoryPool;
  }
  const auto found = std::ranges::find(machine.memory_pools, *name, &MemoryPool::name);
  if (found != machine.memory_pools.end()) {
    return static_cast<std::int32_t>(found - machine.memory_pools.begin());
  }
  const std::vector<std::string> names = PoolNames(machine);
  device.reader().Problem(
      *node,
      "found " + Describe(*node) + ", expected a memory pool" +
          (names.empty() ? "; this machine has no memory_pools"
                         : "; this machine has " + JoinNames(names) + DidYouMean(*name, names)));
  return Device::kNoMemoryPool;
}

void CheckMemoryPools(YamlMap& file, const HardwareProfile& machine) {
  const YamlNode* node = file.Optional("memory_pools");
  if (node == nullptr || file.reader().has_errors()) {
    return;
  }
  for (std::size_t i = 0; i < machine.memory_pools.size(); ++i) {
    CheckPool(file.reader(), node->items[i], machine, i);
  }
}

}  // namespace opyard::sim
