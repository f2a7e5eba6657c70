#include "experiments/explain/explanation_json.h"

#include <variant>

#include <nlohmann/json.hpp>

#include "experiments/explain/path_text.h"
#include "sim/analysis/span_names.h"

namespace opyard::experiments {
namespace {

using Json = nlohmann::ordered_json;

Json PathJson(const sim::SimulatedStep& step, const Explanation& explanation) {
  const sim::Timeline& timeline = explanation.timeline;
  const sim::SpanNames names(step.graph, timeline);
  Json parts = Json::array();
  for (const sim::CriticalPart& part : explanation.path) {
    const auto index = static_cast<std::size_t>(part.subject.index);
    const bool is_kernel = part.subject.kind == sim::SpanKind::kKernel;
    const DeviceId device =
        is_kernel ? timeline.kernels[index].device : timeline.transfers[index].src;
    Json json = {{"kind", sim::NameOf(part.kind)},
                 {"start_ps", part.start.picoseconds},
                 {"duration_ps", part.duration().picoseconds},
                 {"what", names.Of(part.subject)},
                 {"device", step.hardware.devices[device.index()].name}};
    if (!is_kernel) {
      Json destinations = Json::array();
      for (const DeviceId destination : timeline.destinations_of(index)) {
        destinations.push_back(step.hardware.devices[destination.index()].name);
      }
      json["to"] = std::move(destinations);
    }
    if (part.behind.has_value()) {
      json["behind"] = names.Of(*part.behind);
    }
    parts.push_back(std::move(json));
  }
  return parts;
}

Json StretchesJson(const sim::SimulatedStep& step, const Explanation& explanation) {
  Json stretches = Json::array();
  for (const PathStretch& stretch :
       LongestStretches(step, explanation.timeline, explanation.path)) {
    stretches.push_back({{"kind", sim::NameOf(stretch.kind)},
                         {"start_ps", stretch.start.picoseconds},
                         {"duration_ps", stretch.duration.picoseconds},
                         {"sentence", stretch.sentence}});
  }
  return stretches;
}

Json TotalsJson(const Explanation& explanation) {
  Json totals = Json::object();
  const auto times = sim::TimeByKind(explanation.path);
  for (std::size_t kind = 0; kind < times.size(); ++kind) {
    totals[sim::NameOf(static_cast<sim::PartKind>(kind))] = times[kind].picoseconds;
  }
  return totals;
}

Json DevicesJson(const sim::SimReport& report, const Explanation& explanation) {
  Json devices = Json::array();
  for (std::size_t d = 0; d < report.devices.size(); ++d) {
    const sim::DeviceReport& device = report.devices[d];
    Json residents = Json::array();
    for (const sim::Resident& resident : explanation.peak_residents[d]) {
      residents.push_back({{"name", resident.name}, {"bytes", resident.bytes.count}});
    }
    devices.push_back({{"name", device.name},
                       {"idle_s",
                        {{"no_ready_work", device.idle_no_ready_work.seconds()},
                         {"memory", device.idle_waiting_for_memory.seconds()},
                         {"stream_head", device.idle_stream_head.seconds()},
                         {"dispatch", device.idle_dispatch.seconds()},
                         {"gap", device.idle_gap.seconds()}}},
                       {"peak_instant_s", device.peak_instant.seconds()},
                       {"peak_residents", std::move(residents)}});
  }
  return devices;
}

Json WhatIfJson(const std::vector<WhatIf>& answers) {
  Json json = Json::array();
  for (const WhatIf& answer : answers) {
    json.push_back({{"change", answer.change},
                    {"outcome", sim::NameOf(answer.result.outcome)},
                    {"makespan_s", answer.result.makespan.seconds()}});
  }
  return json;
}

Json NamesJson(const sim::SimulatedStep& step, const std::vector<OpId>& ops) {
  Json names = Json::array();
  for (const OpId op : ops) {
    names.push_back(step.graph.op(op).name);
  }
  return names;
}

Json ChangeJson(const sim::SimulatedStep& step, const DeviceChange& change) {
  return {{"decision", "device"},
          {"ops", NamesJson(step, change.ops)},
          {"from", step.hardware.devices[change.from.index()].name},
          {"to", step.hardware.devices[change.to.index()].name}};
}

Json ChangeJson(const sim::SimulatedStep& step, const PriorityChange& change) {
  return {{"decision", "priority"},
          {"ops", NamesJson(step, {change.op})},
          {"from", change.from},
          {"to", change.to}};
}

Json ChangeJson(const sim::SimulatedStep& step, const TransferChange& change) {
  return {{"decision", "transfer_priority"},
          {"tensor", sim::NameOf(step.graph, change.tensor)},
          {"destination", step.hardware.devices[change.destination.index()].name},
          {"from", change.from},
          {"to", change.to}};
}

Json ChangeJson(const sim::SimulatedStep& step, const FusionChange& change) {
  return {{"decision", "fusion"},
          {"ops", NamesJson(step, change.ops)},
          {"from", change.from},
          {"to", change.to}};
}

Json ListJson(const sim::SimulatedStep& step, const std::vector<Counterfactual>& list) {
  Json json = Json::array();
  for (const Counterfactual& counterfactual : list) {
    Json entry = std::visit([&](const auto& change) { return ChangeJson(step, change); },
                            counterfactual.change);
    entry["makespan_s"] = counterfactual.makespan.seconds();
    json.push_back(std::move(entry));
  }
  return json;
}

Json DecisionsJson(const sim::SimulatedStep& step, const Explanation& explanation) {
  if (!explanation.counterfactuals.has_value()) {
    return nullptr;
  }
  const Counterfactuals& found = *explanation.counterfactuals;
  return {{"tried", found.num_tried},
          {"incomplete", found.num_incomplete},
          {"savings", ListJson(step, found.savings)},
          {"costs", ListJson(step, found.costs)}};
}

}  // namespace

nlohmann::ordered_json ExplanationJson(const sim::SimulatedStep& step,
                                       const Explanation& explanation) {
  return {{"critical_path", PathJson(step, explanation)},
          {"critical_path_ps", TotalsJson(explanation)},
          {"stretches", StretchesJson(step, explanation)},
          {"devices", DevicesJson(step.report, explanation)},
          {"what_if", WhatIfJson(explanation.what_ifs)},
          {"decisions", DecisionsJson(step, explanation)}};
}

}  // namespace opyard::experiments
