#include "agents/planning/initial_plans/memory_placement.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "agents/planning/encoding/decisions.h"

namespace opyard::agents {
namespace {

// Keeps what each device holds if nothing is ever freed: groups and copies of what they read.
class SizePlacer {
 public:
  explicit SizePlacer(const env::Problem& problem)
      : problem_(problem),
        need_(GroupBytes(problem)),
        ops_of_group_(OpsOfGroups(problem)),
        main_devices_(MainDevices(problem)),
        device_of_group_(need_.size()),
        places_(problem.graph().num_tensors()) {
    const GroupMemory memory(problem, 1.0);
    for (std::size_t i = 0; i < problem.hardware().num_devices(); ++i) {
      room_left_.push_back(memory.RoomLeft(DeviceId(i)));
    }
  }

  env::GroupPlacement Place() && {
    std::vector<std::size_t> order(need_.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(
        order, std::greater{}, [&](std::size_t group) { return need_[group].count; });
    for (const std::size_t group : order) {
      PlaceGroup(group);
    }
    env::GroupPlacement placement;
    for (const std::optional<DeviceId>& device : device_of_group_) {
      placement.push_back(*device);
    }
    return placement;
  }

 private:
  struct Copy {
    TensorId tensor;
    DeviceId device;
    friend auto operator<=>(const Copy&, const Copy&) = default;
  };

  void PlaceGroup(std::size_t group) {
    const auto allowed = problem_.AllowedDevices(GroupId(group));
    const DeviceId best = *std::ranges::max_element(
        allowed, {}, [&](DeviceId device) { return Merit(group, device); });
    room_left_ = RoomAfter(group, best);
    for (const Copy& copy : CopiesFor(group, best)) {
      places_[copy.tensor.index()].push_back(copy.device);
    }
    device_of_group_[group] = best;
  }

  // Whether all fits, on the main kind first; then the least room of any main device, then of this.
  [[nodiscard]] std::tuple<bool, bool, double, double> Merit(std::size_t group,
                                                             DeviceId device) const {
    const std::vector<double> room = RoomAfter(group, device);
    const bool is_main = std::ranges::binary_search(main_devices_, device);
    double least = room[device.index()];
    for (const DeviceId main_device : main_devices_) {
      least = std::min(least, room[main_device.index()]);
    }
    return {least >= 0.0 && is_main, least >= 0.0, least, room[device.index()]};
  }

  // [num_devices], bytes
  [[nodiscard]] std::vector<double> RoomAfter(std::size_t group, DeviceId device) const {
    std::vector<double> room = room_left_;
    room[device.index()] -= static_cast<double>(need_[group].count);
    for (const Copy& copy : CopiesFor(group, device)) {
      const Bytes bytes = problem_.graph().tensor(copy.tensor).bytes;
      room[copy.device.index()] -= static_cast<double>(bytes.count);
    }
    return room;
  }

  // The copies that `group` on `device` and the groups placed so far make necessary.
  [[nodiscard]] std::vector<Copy> CopiesFor(std::size_t group, DeviceId device) const {
    const sim::OpGraph& graph = problem_.graph();
    std::vector<Copy> copies;
    for (const OpId op : ops_of_group_[group]) {
      for (const TensorId input : graph.inputs(op)) {
        const auto& source = device_of_group_[GroupOf(problem_, graph.tensor(input).producer)];
        if (source.value_or(device) != device) {
          copies.push_back({.tensor = input, .device = device});
        }
      }
      for (std::size_t k = 0; k < graph.num_outputs(op); ++k) {
        for (const OpId consumer : graph.consumers(graph.output(op, k))) {
          const auto& target = device_of_group_[GroupOf(problem_, consumer)];
          if (target.value_or(device) != device) {
            copies.push_back({.tensor = graph.output(op, k), .device = *target});
          }
        }
      }
    }
    std::ranges::sort(copies);
    copies.erase(std::ranges::unique(copies).begin(), copies.end());
    std::erase_if(copies, [&](const Copy& copy) {
      return std::ranges::find(places_[copy.tensor.index()], copy.device) !=
             places_[copy.tensor.index()].end();
    });
    return copies;
  }

  const env::Problem& problem_;
  std::vector<Bytes> need_;                      // [num_groups]
  std::vector<std::vector<OpId>> ops_of_group_;  // [num_groups]
  std::vector<DeviceId> main_devices_;
  std::vector<std::optional<DeviceId>> device_of_group_;  // [num_groups]
  std::vector<std::vector<DeviceId>> places_;             // [num_tensors], of copies
  std::vector<double> room_left_;                         // [num_devices], bytes
};

}  // namespace

DeviceId RoomiestDevice(const env::Problem& problem, const GroupMemory& memory, std::size_t group) {
  const auto& devices = problem.hardware().devices;
  const sim::DeviceKind main_kind = devices[problem.first_accelerator().index()].kind;
  const auto merit = [&](DeviceId device) {
    const bool has_room = memory.HasRoom(group, device);
    const bool is_main = devices[device.index()].kind == main_kind;
    return std::tuple(has_room && is_main, has_room, memory.RoomLeft(device));
  };
  return *std::ranges::max_element(problem.AllowedDevices(GroupId(group)), {}, merit);
}

env::GroupPlacement PlacementBySize(const env::Problem& problem) {
  return SizePlacer(problem).Place();
}

void EvaluateBySize(const env::Problem& problem, env::Evaluator& evaluator) {
  if (problem.tasks().placement && !evaluator.is_done()) {
    evaluator.Evaluate(ToPlan(problem, {.device_of_group = PlacementBySize(problem)}));
  }
}

}  // namespace opyard::agents
