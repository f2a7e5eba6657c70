#include "env/op_places.h"

#include <algorithm>
#include <map>
#include <string>

#include "sim/base/error.h"
#include "sim/base/quote.h"
#include "sim/hardware/device.h"

namespace opyard::env {
namespace {

bool HasKind(const sim::Op& op, std::size_t kind) {
  return op.device_kinds.Contains(static_cast<sim::DeviceKind>(kind));
}

std::vector<DeviceId> Listed(const std::vector<bool>& devices) {
  std::vector<DeviceId> list;
  for (std::size_t device = 0; device < devices.size(); ++device) {
    if (devices[device]) {
      list.emplace_back(device);
    }
  }
  return list;
}

// The kinds of `op`, for a message: "gpu, tpu".
std::string KindsText(const sim::Op& op) {
  std::vector<std::string> names;
  for (std::size_t kind = 0; kind < sim::kNumDeviceKinds; ++kind) {
    if (HasKind(op, kind)) {
      names.emplace_back(sim::NameOf(static_cast<sim::DeviceKind>(kind)));
    }
  }
  return JoinNames(names);
}

}  // namespace

OpPlaces::OpPlaces(const sim::OpGraph& graph, const sim::HardwareProfile& hardware)
    : graph_(graph), hardware_(hardware) {
  std::vector<Place> of_label(graph.colocation_labels().size(), AnyPlace());
  for (const sim::Op& op : graph.ops()) {
    of_op_.push_back(PlaceOf(op));
    if (op.colocation.has_value()) {
      of_label[static_cast<std::size_t>(*op.colocation)].Intersect(of_op_.back());
    }
  }
  for (std::size_t i = 0; i < of_op_.size(); ++i) {
    if (const auto label = graph.ops()[i].colocation) {
      of_op_[i] = of_label[static_cast<std::size_t>(*label)];
    }
  }
}

void OpPlaces::Place::Intersect(const Place& other) {
  kinds &= other.kinds;
  for (std::size_t device = 0; device < devices.size(); ++device) {
    devices[device] = devices[device] && other.devices[device];
  }
}

OpPlaces::Place OpPlaces::AnyPlace() const {
  return {.devices = std::vector<bool>(hardware_.num_devices(), true)};
}

OpPlaces::Place OpPlaces::PlaceOf(const sim::Op& op) const {
  Place place{.kinds = 0, .devices = {}};
  for (std::size_t kind = 0; kind < sim::kNumDeviceKinds; ++kind) {
    place.kinds |= HasKind(op, kind) ? 1U << kind : 0U;
  }
  for (const sim::Device& device : hardware_.devices) {
    place.devices.push_back(sim::IsAllowedOn(op, device));
  }
  return place;
}

// The reasons against devices of an op's kinds, or those of its label: "; "gpu0" runs no …".
std::string OpPlaces::ReasonsAgainst(const sim::Op& op) const {
  constexpr std::size_t kMostReasons = 4;
  std::vector<std::string> reasons;
  for (const sim::Device& device : hardware_.devices) {
    if (!sim::IsAllowedOn(op, device)) {
      if (op.device_kinds.Contains(device.kind)) {
        reasons.push_back(WhyNotAllowed(op, device));
      }
      continue;
    }
    const auto partner = std::ranges::find_if(graph_.ops(), [&](const sim::Op& other) {
      return other.colocation == op.colocation && !sim::IsAllowedOn(other, device);
    });
    if (partner != graph_.ops().end()) {
      reasons.push_back(WhyNotAllowed(*partner, device) + " for op " + Quoted(partner->name));
    }
  }
  std::string text;
  for (std::size_t i = 0; i < std::min(reasons.size(), kMostReasons); ++i) {
    text += "; " + reasons[i];
  }
  return text + (reasons.size() > kMostReasons ? "; …" : "");
}

void OpPlaces::EnsureEachOpFits() const {
  Diagnostics diagnostics;
  for (std::size_t i = 0; i < of_op_.size(); ++i) {
    if (std::ranges::find(of_op_[i].devices, true) != of_op_[i].devices.end()) {
      continue;
    }
    const sim::Op& op = graph_.ops()[i];
    // Beyond those that are shown, errors are only counted.
    const bool is_shown = diagnostics.count() < Diagnostics::kMostShown;
    diagnostics.AddError(
        "graph " + Quoted(graph_.name()) + " on machine " + Quoted(hardware_.name),
        "op " + Quoted(op.name) +
            (op.colocation.has_value() ? ", with those it is co-located with," : "") +
            " may run on no device (kinds allowed: " + KindsText(op) + "; devices: " +
            JoinNames(hardware_.DeviceNames()) + (is_shown ? ReasonsAgainst(op) : "") + ")");
  }
  diagnostics.ThrowIfAny();
}

std::vector<DeviceId> OpPlaces::DevicesOf(std::size_t op) const {
  return Listed(of_op_[op].devices);
}

std::vector<std::vector<DeviceId>> OpPlaces::DevicesOf(const sim::Grouping& grouping) const {
  std::vector<Place> of_group(static_cast<std::size_t>(grouping.num_groups), AnyPlace());
  for (std::size_t op = 0; op < grouping.group_of.size(); ++op) {
    of_group[static_cast<std::size_t>(grouping.group_of[op])].Intersect(of_op_[op]);
  }
  std::vector<std::vector<DeviceId>> devices;
  for (const Place& place : of_group) {
    devices.push_back(Listed(place.devices));
  }
  return devices;
}

std::vector<std::int32_t> OpPlaces::Sets() const {
  std::map<Place, std::int32_t> number;
  for (const Place& place : of_op_) {
    number.try_emplace(place, 0);
  }
  std::int32_t next = 0;
  for (auto& [place, own] : number) {
    own = next++;
  }
  std::vector<std::int32_t> sets;
  for (const Place& place : of_op_) {
    sets.push_back(number.at(place));
  }
  return sets;
}

}  // namespace opyard::env
