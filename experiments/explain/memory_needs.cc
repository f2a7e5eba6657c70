#include "experiments/explain/memory_needs.h"

#include <algorithm>
#include <functional>
#include <memory>

#include "experiments/text/number_format.h"
#include "sim/analysis/one_device_memory.h"
#include "sim/engine/lowering/lowered_problem.h"
#include "sim/engine/run/workspace.h"
#include "sim/engine/simulator.h"

namespace opyard::experiments {
namespace {

// "62.00 GiB of parameters and up to 6.40 GiB of other tensors"
std::string PartsText(Bytes peak, Bytes parameters) {
  return BytesText(parameters) + " of parameters and up to " + BytesText(peak - parameters) +
         " of other tensors";
}

sim::SimReport WithoutLimits(const env::Problem& problem, const sim::Plan& plan) {
  auto machine = std::make_shared<sim::HardwareProfile>(problem.hardware());
  machine->memory.on_exceed = sim::OnExceed::kIgnore;
  const sim::Simulator simulator(
      sim::LowerProblem(problem.shared_graph(), machine, problem.shared_costs(), problem.routes()));
  sim::Workspace workspace;
  return simulator.RunReport(plan, workspace);
}

Bytes ParametersInPool(const sim::HardwareProfile& machine,
                       const sim::SimReport& report,
                       std::size_t pool) {
  Bytes parameters;
  for (const DeviceId device : machine.DevicesOfPool(pool)) {
    parameters += report.devices[device.index()].resident;
  }
  return parameters;
}

}  // namespace

std::vector<MemoryNeed> NeedsBeyondCapacity(const env::Problem& problem, const sim::Plan& plan) {
  const sim::SimReport report = WithoutLimits(problem, plan);
  std::vector<MemoryNeed> needs;
  for (std::size_t d = 0; d < report.devices.size(); ++d) {
    const sim::DeviceReport& device = report.devices[d];
    const bool is_shared = problem.hardware().devices[d].memory_pool != sim::Device::kNoMemoryPool;
    if (!is_shared && device.peak_memory > device.capacity) {
      needs.push_back({.device = device.name,
                       .peak = device.peak_memory,
                       .parameters = device.resident,
                       .capacity = device.capacity});
    }
  }
  for (std::size_t i = 0; i < report.memory_pools.size(); ++i) {
    const sim::MemoryPoolReport& pool = report.memory_pools[i];
    if (pool.peak_memory > pool.capacity) {
      needs.push_back({.device = pool.name,
                       .peak = pool.peak_memory,
                       .parameters = ParametersInPool(problem.hardware(), report, i),
                       .capacity = pool.capacity});
    }
  }
  std::ranges::stable_sort(
      needs, std::greater<>(), [](const MemoryNeed& need) { return need.peak - need.capacity; });
  return needs;
}

std::string NeedsText(const std::vector<MemoryNeed>& needs) {
  constexpr std::size_t kMost = 3;
  std::string text;
  for (std::size_t i = 0; i < std::min(needs.size(), kMost); ++i) {
    const MemoryNeed& need = needs[i];
    text += (i == 0 ? "needs " : "; ") + BytesText(need.peak) + " on " + OneLine(need.device) +
            " (" + PartsText(need.peak, need.parameters) + "), which has " +
            BytesText(need.capacity);
  }
  return text + (needs.size() > kMost
                     ? "; and so " + std::to_string(needs.size() - kMost) + " more devices"
                     : "");
}

std::string OneDeviceText(const sim::OpGraph& graph) {
  const sim::OneDeviceMemory memory = sim::MemoryOnOneDevice(graph);
  return "needs " + BytesText(memory.peak) + " on one device (" +
         PartsText(memory.peak, memory.parameters) + ")";
}

}  // namespace opyard::experiments
