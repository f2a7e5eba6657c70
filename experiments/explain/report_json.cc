#include "experiments/explain/report_json.h"

#include <nlohmann/json.hpp>

#include "experiments/text/measured_coverage.h"

namespace opyard::experiments {
namespace {

using Json = nlohmann::ordered_json;

Json DevicesJson(const sim::SimReport& report) {
  Json devices = Json::array();
  for (const sim::DeviceReport& device : report.devices) {
    devices.push_back({{"name", device.name},
                       {"busy_s", device.busy.seconds()},
                       {"peak_memory_bytes", device.peak_memory.count}});
  }
  return devices;
}

Json PoolPeaksJson(const sim::SimReport& report) {
  Json pools = Json::array();
  for (const sim::MemoryPoolReport& pool : report.memory_pools) {
    pools.push_back({{"name", pool.name}, {"peak_memory_bytes", pool.peak_memory.count}});
  }
  return pools;
}

Json ChannelsJson(const sim::SimReport& report) {
  Json channels = Json::array();
  for (const sim::ChannelReport& channel : report.channels) {
    channels.push_back({{"name", channel.name},
                        {"busy_s", channel.busy.seconds()},
                        {"bytes", channel.bytes.count}});
  }
  return channels;
}

Json OpsJson(const sim::SimReport& report,
             const sim::Plan& plan,
             const sim::OpGraph& graph,
             const sim::HardwareProfile& hardware) {
  Json ops = Json::array();
  for (std::size_t i = 0; i < report.ops.size(); ++i) {
    const OpId op{i};
    const auto& span = report.ops[i];
    ops.push_back({{"name", graph.op(op).name},
                   {"device", hardware.devices[plan.placement[i].index()].name},
                   {"start_s", span.has_value() ? Json(span->start.seconds()) : Json(nullptr)},
                   {"finish_s", span.has_value() ? Json(span->finish.seconds()) : Json(nullptr)},
                   {"group", report.groups[i]}});
  }
  return ops;
}

Json FailureJson(const sim::SimReport& report, const std::vector<MemoryNeed>& needs) {
  if (report.deadlock.has_value()) {
    const sim::DeadlockReport& deadlock = *report.deadlock;
    return {{"kind", "deadlock"},
            {"time_s", deadlock.time.seconds()},
            {"num_waits", deadlock.num_waits},
            {"waits", deadlock.waits},
            {"cycle", deadlock.cycle.empty() ? Json(nullptr) : Json(deadlock.cycle)}};
  }
  if (!report.failure.has_value()) {
    return nullptr;
  }
  const sim::OutOfMemoryReport& failure = *report.failure;
  Json residents = Json::array();
  for (const sim::Resident& resident : failure.largest_residents) {
    residents.push_back({{"name", resident.name}, {"bytes", resident.bytes.count}});
  }
  Json json = {{"kind", "out_of_memory"},
               {"device", failure.device},
               {"time_s", failure.time.seconds()},
               {"what", failure.what},
               {"requested_bytes", failure.requested.count},
               {"in_use_bytes", failure.in_use.count},
               {"capacity_bytes", failure.capacity.count},
               {"largest_residents", std::move(residents)},
               {"needs", NeedsJson(needs)}};
  if (!failure.memory_pool.empty()) {
    json["memory_pool"] = failure.memory_pool;
  }
  return json;
}

}  // namespace

nlohmann::ordered_json NeedsJson(const std::vector<MemoryNeed>& needs) {
  Json json = Json::array();
  for (const MemoryNeed& need : needs) {
    json.push_back({{"device", need.device},
                    {"needed_bytes", need.peak.count},
                    {"parameter_bytes", need.parameters.count},
                    {"capacity_bytes", need.capacity.count}});
  }
  return json;
}

nlohmann::ordered_json ReportObject(const sim::SimReport& report,
                                    const sim::Plan& plan,
                                    const sim::OpGraph& graph,
                                    const sim::HardwareProfile& hardware,
                                    OpDetail detail,
                                    const std::vector<MemoryNeed>& needs) {
  const MeasuredCoverage coverage = MeasuredCoverageOf(graph, hardware);
  Json json = {{"outcome", sim::NameOf(report.result.outcome)},
               {"makespan_s", report.result.makespan.seconds()},
               {"lower_bound_s", report.plan_bound.seconds()},
               {"problem_bound_s", report.problem_bound.seconds()},
               {"timed_ops", coverage.num_ops},
               {"measured_ops", coverage.num_measured},
               {"devices", DevicesJson(report)},
               {"channels", ChannelsJson(report)},
               {"transfers", report.result.num_transfers}};
  if (!report.memory_pools.empty()) {
    json["memory_pools"] = PoolPeaksJson(report);
  }
  if (detail == OpDetail::kWithOps) {
    json["ops"] = OpsJson(report, plan, graph, hardware);
  }
  json["failure"] = FailureJson(report, needs);
  return json;
}

std::string ReportJson(const sim::SimReport& report,
                       const sim::Plan& plan,
                       const sim::OpGraph& graph,
                       const sim::HardwareProfile& hardware,
                       OpDetail detail,
                       const std::vector<MemoryNeed>& needs) {
  return ReportObject(report, plan, graph, hardware, detail, needs).dump();
}

}  // namespace opyard::experiments
