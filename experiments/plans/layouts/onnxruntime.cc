#include "experiments/plans/layouts/onnxruntime.h"

#include <algorithm>
#include <array>
#include <string>

#include <nlohmann/json.hpp>

#include "experiments/plans/layouts/device_names.h"
#include "experiments/plans/layouts/order_limits.h"
#include "experiments/plans/layouts/placement_repair.h"

namespace opyard::experiments {
namespace {

constexpr const char* kOnnxruntime = "onnxruntime";
constexpr const char* kGpuDesignator = "gpu:";
constexpr const char* kSetting = "session.layer_assignment_settings";

void AddProviderLimits(const LayoutInput& input, std::vector<Inexpressible>& reasons) {
  for (const bool is_cpu : {false, true}) {
    std::vector<std::string> names;
    for (const DeviceId device : UsedDevices(input)) {
      if (IsCpu(input.problem.hardware(), device) == is_cpu) {
        names.push_back(input.problem.hardware().devices[device.index()].name);
      }
    }
    if (names.size() > 1) {
      reasons.push_back({.what = "devices " + Joined(names, ", "),
                         .why = "a session has one instance of each execution provider, and so one "
                                "device of each kind"});
    }
  }
}

// The device of its kind with most time, for each device: [num_devices].
std::vector<DeviceId> HeaviestByKind(const LayoutInput& input) {
  const sim::HardwareProfile& hardware = input.problem.hardware();
  std::vector<std::array<std::int64_t, 2>> loads(hardware.num_devices());
  for (std::size_t i = 0; i < input.roles.size(); ++i) {
    const DeviceId device = input.plan.placement[i];
    loads[device.index()][0] += input.problem.costs().time(OpId(i), device).picoseconds;
    ++loads[device.index()][1];
  }
  std::vector<DeviceId> heaviest;
  for (std::size_t d = 0; d < loads.size(); ++d) {
    std::size_t best = d;
    for (std::size_t other = 0; other < loads.size(); ++other) {
      const bool is_alike = IsCpu(hardware, DeviceId(other)) == IsCpu(hardware, DeviceId(d));
      const bool is_better =
          loads[other] > loads[best] || (loads[other] == loads[best] && other < best);
      best = is_alike && is_better ? other : best;
    }
    heaviest.emplace_back(best);
  }
  return heaviest;
}

}  // namespace

Layout WriteOnnxruntime(const LayoutInput& input, std::vector<Inexpressible>& reasons) {
  AddInferenceLimit(input, kOnnxruntime, reasons);
  AddMicrobatchLimit(input, kOnnxruntime, reasons);
  AddProgramLimit(input, kOnnxruntime, reasons);
  AddTransferLimit(input, kOnnxruntime, reasons);
  AddProviderLimits(input, reasons);
  const auto& devices = input.problem.hardware().devices;
  nlohmann::ordered_json nodes = nlohmann::ordered_json::object();
  for (std::size_t i = 0; i < input.roles.size(); ++i) {
    if (IsCompute(input.roles[i])) {
      nodes[input.problem.graph().op(OpId(i)).name] = devices[input.plan.placement[i].index()].name;
    }
  }
  std::vector<std::string> rules;
  for (const DeviceId device : UsedDevices(input)) {
    rules.push_back(FrameworkName(input, device, kGpuDesignator) +
                    "(=" + devices[device.index()].name + ")");
  }
  const nlohmann::ordered_json settings = {{kSetting, Joined(rules, "; ")}};
  return {.files = {{"node_devices.json", nodes.dump(1) + "\n"},
                    {"session_options.json", settings.dump(1) + "\n"}},
          .notes = {"ONNX Runtime fuses nodes by itself, and takes an annotation as a preference"}};
}

sim::OpPlacement RoundForOnnxruntime(const LayoutInput& input) {
  const std::vector<DeviceId> heaviest = HeaviestByKind(input);
  sim::OpPlacement placement;
  for (const DeviceId device : input.plan.placement) {
    placement.push_back(heaviest[device.index()]);
  }
  return WithLegalPlaces(input, std::move(placement));
}

}  // namespace opyard::experiments
