#include "sim/cost/cost_table.h"

#include <algorithm>
#include <set>
#include <string>

#include "sim/base/error.h"

namespace opyard::sim {
namespace {

// The names that the measured times of a graph speak of.
std::set<std::string, std::less<>> MeasuredPlaces(const OpGraph& graph) {
  std::set<std::string, std::less<>> places;
  for (std::size_t op = 0; op < graph.num_ops(); ++op) {
    for (const MeasuredTime& time : graph.measured_times(OpId(op))) {
      places.insert(time.where);
    }
  }
  return places;
}

// The index of each device's class: devices of one class cost the same for every op. Where measured
// times name a device or a type, that name still separates devices that are alike in all else.
std::vector<std::int32_t> ClassesOf(const std::vector<Device>& devices,
                                    const std::set<std::string, std::less<>>& places,
                                    std::vector<const Device*>& firsts) {
  const auto is_alike = [&](const Device& a, const Device& b) {
    const auto differ = [&](const std::string& x, const std::string& y) {
      return x != y && (places.contains(x) || places.contains(y));
    };
    return CostAlike(a, b) && !differ(a.name, b.name) && !differ(a.type, b.type);
  };
  std::vector<std::int32_t> classes;
  classes.reserve(devices.size());
  for (const Device& device : devices) {
    const auto found =
        std::ranges::find_if(firsts, [&](const Device* first) { return is_alike(*first, device); });
    classes.push_back(static_cast<std::int32_t>(found - firsts.begin()));
    if (found == firsts.end()) {
      firsts.push_back(&device);
    }
  }
  return classes;
}

SimTime ToTime(const OpCost& cost, const Op& op, const Device& device) {
  if (!FitsInSimTime(cost.total_s)) {
    throw InputError("op \"" + op.name + "\" on device \"" + device.name + "\": takes " +
                     std::to_string(cost.total_s) + " s, expected at most 4.6e6 s");
  }
  return SimTime::FromSeconds(cost.total_s);
}

}  // namespace

CostTable::CostTable(const OpGraph& graph,
                     const HardwareProfile& hardware,
                     const CostModel& model) {
  std::vector<const Device*> firsts;
  class_of_device_ = ClassesOf(hardware.devices, MeasuredPlaces(graph), firsts);
  num_classes_ = firsts.size();
  costs_.reserve(graph.num_ops() * num_classes_);
  times_.reserve(graph.num_ops() * num_classes_);
  mean_seconds_.reserve(graph.num_ops());
  double longest_s = 0.0;  // all ops one after another, each on its slowest device
  for (std::size_t i = 0; i < graph.num_ops(); ++i) {
    const OpId op(i);
    double slowest_s = 0.0;
    for (const Device* device : firsts) {
      costs_.push_back(model.Cost(graph, op, *device));
      times_.push_back(ToTime(costs_.back(), graph.op(op), *device));
      slowest_s = std::max(slowest_s, costs_.back().total_s);
    }
    longest_s += slowest_s;
    mean_seconds_.push_back(MeanOver(hardware.devices, graph.op(op), op));
  }
  if (!FitsInSimTime(longest_s)) {
    throw InputError("graph \"" + graph.name() + "\" on machine \"" + hardware.name +
                     "\": its ops take more than 4.6e6 s one after another");
  }
}

double CostTable::MeanOver(const std::vector<Device>& devices, const Op& op, OpId id) const {
  double sum = 0.0;
  double count = 0.0;
  for (std::size_t i = 0; i < devices.size(); ++i) {
    if (IsAllowedOn(op, devices[i])) {
      sum += cost(id, DeviceId(i)).total_s;
      count += 1.0;
    }
  }
  return count > 0.0 ? sum / count : 0.0;
}

const OpCost& CostTable::cost(OpId op, DeviceId device) const {
  return costs_[Slot(op, device)];
}

SimTime CostTable::time(OpId op, DeviceId device) const {
  return times_[Slot(op, device)];
}

}  // namespace opyard::sim
