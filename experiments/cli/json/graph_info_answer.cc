#include "experiments/cli/json/graph_info_answer.h"

#include <cmath>
#include <cstdint>
#include <utility>

#include <nlohmann/json.hpp>

namespace opyard::experiments {
namespace {

using Json = nlohmann::ordered_json;

// Whole numbers of FLOPs print as such.
Json Whole(double value) {
  constexpr double kLargestExact = 9007199254740992.0;  // 2^53
  return value <= kLargestExact && value == std::floor(value)
             ? Json(static_cast<std::int64_t>(value))
             : Json(value);
}

Json ShareJson(const GraphShare& share) {
  return {{"ops", share.ops}, {"flops", Whole(share.flops)}, {"bytes", share.bytes.count}};
}

Json GraphJson(const sim::OpGraph& graph, const GraphFigures& figures) {
  Json json = {{"name", graph.name()},
               {"ops", graph.num_ops()},
               {"edges", graph.num_data_edges() + graph.num_control_edges()},
               {"control_edges", graph.num_control_edges()},
               {"tensors", graph.num_tensors()},
               {"flops", Whole(figures.all.flops)},
               {"bytes", figures.all.bytes.count},
               {"param_bytes", figures.parameters.count},
               {"depth", figures.extent.depth},
               {"acyclic", true},  // a graph with a cycle is refused by its reader
               {"width", figures.extent.width},
               {"activation_bytes", figures.activations.count},
               {"memory_bound_bytes", figures.memory_bound.count},
               {"one_device_peak_bytes", figures.one_device_peak.count},
               {"measured", sim::NameOf(graph.measured())},
               {"measured_ops", figures.num_measured},
               {"phases", Json::object()},
               {"types", Json::array()}};
  for (std::size_t phase = 0; phase < GraphFigures::kNumPhases; ++phase) {
    if (figures.phases[phase].ops > 0) {
      json["phases"][PhaseName(phase)] = ShareJson(figures.phases[phase]);
    }
  }
  for (const auto& [type, share] : figures.types) {
    Json entry = {{"type", type}};
    entry.update(ShareJson(share));
    json["types"].push_back(std::move(entry));
  }
  return json;
}

Json MachineJson(const MachineFigures& machine) {
  Json devices = Json::array();
  for (const auto& [device, capacity] : machine.devices) {
    devices.push_back({{"name", device}, {"memory_bytes", capacity.count}});
  }
  return {{"name", machine.name},
          {"critical_path_s", machine.critical_path.seconds()},
          {"work_s", machine.work.seconds()},
          {"problem_bound_s", machine.bound.seconds()},
          {"timed_ops", machine.coverage.num_ops},
          {"measured_ops", machine.coverage.num_measured},
          {"memory_bytes", machine.capacity.count},
          {"devices", std::move(devices)}};
}

}  // namespace

std::string GraphInfoJson(const sim::OpGraph& graph,
                          const GraphFigures& figures,
                          const std::optional<MachineFigures>& machine) {
  Json json = GraphJson(graph, figures);
  if (machine.has_value()) {
    json["machine"] = MachineJson(*machine);
  }
  return json.dump();
}

}  // namespace opyard::experiments
