// Allowed devices of the ops of a graph on a machine. Combines the device kinds of ops, the op
// types that devices do not support, the devices that a problem leaves out, and co-location.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "sim/graph/colocation.h"
#include "sim/graph/op_graph.h"
#include "sim/hardware/hardware_profile.h"

namespace opyard::env {

// REQUIRES: graph and machine outlive it.
class OpPlaces {
 public:
  // O(ops · devices).
  OpPlaces(const sim::OpGraph& graph, const sim::HardwareProfile& hardware);

  // Throws InputError with the ops that may run nowhere, each with the reasons.
  void EnsureEachOpFits() const;

  // The devices that suit all ops of the label of `op`, ascending.
  [[nodiscard]] std::vector<DeviceId> DevicesOf(std::size_t op) const;
  // The devices that suit all ops of each group.
  [[nodiscard]] std::vector<std::vector<DeviceId>> DevicesOf(const sim::Grouping& grouping) const;
  // sim::PlaceSets: ops with equal numbers have equal kinds and devices; those with fewer kinds, as
  // bits, come first.
  [[nodiscard]] std::vector<std::int32_t> Sets() const;

 private:
  struct Place {
    std::uint32_t kinds = ~0U;  // as bits, whether the machine has such devices or not
    std::vector<bool> devices;  // [num_devices]
    friend auto operator<=>(const Place&, const Place&) = default;

    void Intersect(const Place& other);
  };

  [[nodiscard]] Place AnyPlace() const;
  [[nodiscard]] Place PlaceOf(const sim::Op& op) const;
  [[nodiscard]] std::string ReasonsAgainst(const sim::Op& op) const;

  const sim::OpGraph& graph_;
  const sim::HardwareProfile& hardware_;
  std::vector<Place> of_op_;
};

}  // namespace opyard::env
