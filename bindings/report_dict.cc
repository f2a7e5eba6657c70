#include "bindings/bindings.h"

namespace opyard::bindings {

namespace py = pybind11;
using namespace py::literals;

namespace {

py::list DeviceDicts(const sim::SimReport& report) {
  py::list devices;
  for (const sim::DeviceReport& device : report.devices) {
    devices.append(py::dict("name"_a = device.name,
                            "busy_s"_a = device.busy.seconds(),
                            "peak_memory_bytes"_a = device.peak_memory.count));
  }
  return devices;
}

py::list ChannelDicts(const sim::SimReport& report) {
  py::list channels;
  for (const sim::ChannelReport& channel : report.channels) {
    channels.append(py::dict("name"_a = channel.name,
                             "busy_s"_a = channel.busy.seconds(),
                             "bytes"_a = channel.bytes.count));
  }
  return channels;
}

py::list OpDicts(const sim::SimReport& report,
                 const sim::Plan& plan,
                 const sim::OpGraph& graph,
                 const sim::HardwareProfile& hardware) {
  py::list ops;
  for (std::size_t i = 0; i < report.ops.size(); ++i) {
    const auto& span = report.ops[i];
    py::dict op("name"_a = graph.ops()[i].name,
                "device"_a = hardware.devices[plan.placement[i].index()].name,
                "start_s"_a = py::none(),
                "finish_s"_a = py::none(),
                "group"_a = graph.topological_index(OpId(i)));
    if (span.has_value()) {
      op["start_s"] = span->start.seconds();
      op["finish_s"] = span->finish.seconds();
    }
    ops.append(std::move(op));
  }
  return ops;
}

py::object FailureDict(const sim::SimReport& report) {
  if (!report.failure.has_value()) {
    return py::none();
  }
  const sim::OutOfMemoryReport& failure = *report.failure;
  py::list residents;
  for (const sim::Resident& resident : failure.largest_residents) {
    residents.append(py::dict("name"_a = resident.name, "bytes"_a = resident.bytes.count));
  }
  return py::dict("kind"_a = "out_of_memory",
                  "device"_a = failure.device,
                  "time_s"_a = failure.time.seconds(),
                  "what"_a = failure.what,
                  "requested_bytes"_a = failure.requested.count,
                  "in_use_bytes"_a = failure.in_use.count,
                  "capacity_bytes"_a = failure.capacity.count,
                  "largest_residents"_a = std::move(residents));
}

}  // namespace

py::dict ReportDict(const sim::SimReport& report,
                    const sim::Plan& plan,
                    const sim::OpGraph& graph,
                    const sim::HardwareProfile& hardware) {
  return py::dict("outcome"_a = sim::NameOf(report.result.outcome),
                  "makespan_s"_a = report.result.makespan.seconds(),
                  "lower_bound_s"_a = report.plan_bound.seconds(),
                  "problem_bound_s"_a = report.problem_bound.seconds(),
                  "devices"_a = DeviceDicts(report),
                  "channels"_a = ChannelDicts(report),
                  "transfers"_a = report.result.num_transfers,
                  "ops"_a = OpDicts(report, plan, graph, hardware),
                  "failure"_a = FailureDict(report));
}

}  // namespace opyard::bindings
