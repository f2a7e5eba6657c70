#include "agents/planning/estimates/group_memory.h"

#include <algorithm>
#include <numeric>

#include "agents/planning/encoding/decisions.h"

namespace opyard::agents {
namespace {

// Room for what the sum of the groups cannot measure: uneven group sizes.
constexpr double kSlack = 1.1;

}  // namespace

std::vector<Bytes> GroupBytes(const env::Problem& problem) {
  const sim::OpGraph& graph = problem.graph();
  std::vector<Bytes> need(NumGroups(problem));
  for (std::size_t i = 0; i < graph.num_ops(); ++i) {
    need[GroupOf(problem, OpId(i))] += graph.ops()[i].param_bytes;
  }
  for (const sim::Tensor& tensor : graph.tensors()) {
    if (tensor.alias == sim::Alias::kNone) {
      need[GroupOf(problem, tensor.producer)] += tensor.bytes;
    }
  }
  return need;
}

GroupMemory::GroupMemory(const env::Problem& problem, double share) : need_(GroupBytes(problem)) {
  double total = 0.0;
  for (const Bytes bytes : need_) {
    total += static_cast<double>(bytes.count);
  }
  double main_capacity = 0.0;
  const std::vector<DeviceId> main_devices = MainDevices(problem);
  for (const DeviceId device : main_devices) {
    main_capacity += static_cast<double>(problem.hardware().capacity(device).count);
  }
  const double scale = std::max(1.0, kSlack * total / std::max(main_capacity, 1.0));
  for (std::size_t i = 0; i < problem.hardware().num_devices(); ++i) {
    const bool is_main = std::ranges::binary_search(main_devices, DeviceId(i));
    const auto capacity = static_cast<double>(problem.hardware().capacity(DeviceId(i)).count);
    limit_.push_back(capacity * share * (is_main ? scale : 1.0));
  }
  room_left_ = limit_;
}

bool GroupMemory::HasRoom(std::size_t group, DeviceId device) const {
  return static_cast<double>(need_[group].count) <= room_left_[device.index()];
}

double GroupMemory::RoomLeft(DeviceId device) const {
  return room_left_[device.index()];
}

void GroupMemory::Add(std::size_t group, DeviceId device) {
  room_left_[device.index()] -= static_cast<double>(need_[group].count);
}

void GroupMemory::Remove(std::size_t group, DeviceId device) {
  room_left_[device.index()] += static_cast<double>(need_[group].count);
}

void GroupMemory::Clear() {
  room_left_ = limit_;
}

}  // namespace opyard::agents
