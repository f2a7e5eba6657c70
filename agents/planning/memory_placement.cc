#include "agents/planning/memory_placement.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <tuple>

#include "agents/planning/decisions.h"

namespace opyard::agents {

DeviceId RoomiestDevice(const env::Problem& problem, const GroupMemory& memory, std::size_t group) {
  const auto& devices = problem.hardware().devices;
  const sim::DeviceKind main_kind = devices[problem.first_accelerator().index()].kind;
  const auto merit = [&](DeviceId device) {
    const bool has_room = memory.HasRoom(group, device);
    const bool is_main = devices[device.index()].kind == main_kind;
    return std::tuple(has_room && is_main, has_room, memory.RoomLeft(device));
  };
  return *std::ranges::max_element(
      problem.AllowedDevices(static_cast<std::int32_t>(group)), {}, merit);
}

std::vector<DeviceId> PlacementBySize(const env::Problem& problem) {
  const std::vector<Bytes> need = GroupBytes(problem);
  std::vector<std::size_t> order(need.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(
      order, std::greater{}, [&](std::size_t group) { return need[group].count; });
  GroupMemory memory(problem, 1.0);
  std::vector<DeviceId> placement(need.size());
  for (const std::size_t group : order) {
    placement[group] = RoomiestDevice(problem, memory, group);
    memory.Add(group, placement[group]);
  }
  return placement;
}

void EvaluateBySizeUnlessFeasible(const env::Problem& problem, env::Evaluator& evaluator) {
  const bool is_feasible =
      evaluator.best().has_value() && evaluator.best()->evaluation.is_feasible();
  if (problem.tasks().placement && !is_feasible && !evaluator.is_done()) {
    evaluator.Evaluate(ToPlan(problem, {.device_of_group = PlacementBySize(problem)}));
  }
}

}  // namespace opyard::agents
