#include "env/features/device_features.h"

#include <algorithm>
#include <array>
#include <span>

#include "env/features/columns.h"

namespace opyard::env {
namespace {

// Columns of Observation::device_x (see the table at kDeviceFeatureNames).
enum DeviceColumn : std::size_t {
  kKind = 0,
  kIsMain = 4,
  kSlot = 5,
  kCapacityToNeeds = 6,
  kSpeed = 7,
  kAllowedOps = 8,
};
using Row = std::array<float, kNumDeviceFeatures>;

// The ops that one device allows.
struct AllowedOps {
  std::size_t count = 0;
  SimTime here;       // their times on the device
  SimTime elsewhere;  // their t(o)
};

// [num_devices]. Ops stand in their order, so that times of one op lie side by side in memory.
std::vector<AllowedOps> CountAllowed(const Problem& problem, const FeatureScales& scales) {
  std::vector<AllowedOps> allowed(problem.hardware().num_devices());
  for (std::size_t op = 0; op < problem.graph().num_ops(); ++op) {
    for (const DeviceId device : problem.AllowedDevices(GroupId(problem.grouping().group_of[op]))) {
      AllowedOps& on_device = allowed[device.index()];
      ++on_device.count;
      on_device.here += problem.costs().time(OpId(op), device);
      on_device.elsewhere += scales.op_times[op];
    }
  }
  return allowed;
}

float SlotOf(std::span<const sim::Device> devices, DeviceId device) {
  const auto is_alike = [&](const sim::Device& other) {
    return other.kind == devices[device.index()].kind;
  };
  return static_cast<float>(std::ranges::count_if(devices.first(device.index()), is_alike)) /
         static_cast<float>(std::ranges::count_if(devices, is_alike));
}

double Picoseconds(SimTime time) {
  return static_cast<double>(time.picoseconds);
}

Row RowOf(const Problem& problem,
          const FeatureScales& scales,
          DeviceId device,
          const AllowedOps& allowed) {
  const std::span<const sim::Device> devices = problem.hardware().devices;
  const auto capacity = static_cast<double>(problem.hardware().capacity(device).count);
  Row row{};
  row[kKind + static_cast<std::size_t>(devices[device.index()].kind)] = 1.0F;
  row[kIsMain] = std::ranges::binary_search(scales.main_devices, device) ? 1.0F : 0.0F;
  row[kSlot] = SlotOf(devices, device);
  row[kCapacityToNeeds] =
      static_cast<float>(Squash(capacity, static_cast<double>(scales.needs.count)));
  row[kSpeed] =
      static_cast<float>(Squash(Picoseconds(allowed.elsewhere), Picoseconds(allowed.here)));
  row[kAllowedOps] =
      static_cast<float>(allowed.count) / static_cast<float>(problem.graph().num_ops());
  return row;
}

}  // namespace

std::vector<float> DeviceFeatures(const Problem& problem, const FeatureScales& scales) {
  const std::vector<AllowedOps> allowed = CountAllowed(problem, scales);
  std::vector<float> device_x;
  device_x.reserve(allowed.size() * kNumDeviceFeatures);
  for (std::size_t i = 0; i < allowed.size(); ++i) {
    const Row row = RowOf(problem, scales, DeviceId(i), allowed[i]);
    device_x.insert(device_x.end(), row.begin(), row.end());
  }
  return device_x;
}

}  // namespace opyard::env
