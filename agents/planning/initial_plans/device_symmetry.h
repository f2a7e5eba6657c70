// Which devices may change places without a change of what plans take.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "env/group_placement.h"
#include "env/problem.h"
#include "sim/base/ids.h"

namespace opyard::agents {

// The symmetries of a machine under a problem: permutations of devices that run every op alike, may
// take the same groups, hold as much, and are joined alike by channels that are shared alike. Plans
// that differ by one take the same time, but for ties that the simulator breaks by numbers.
class DeviceSymmetry {
 public:
  explicit DeviceSymmetry(const env::Problem& problem);

  // The devices of groups, [num_groups], renamed by the symmetry under which devices, in the order
  // of their work, have the least numbers: one form for all plans that are alike. A device's work
  // begins where a tenth of its time is reached in topological order, so that one stray op does not
  // rename all. Plans as they are where the machine has no symmetry, or too large a one to search.
  [[nodiscard]] env::GroupPlacement Canonical(std::span<const DeviceId> device_of_group) const;
  // The canonical form with devices in the order in which `group_order`, [num_groups], comes to
  // them first.
  [[nodiscard]] env::GroupPlacement CanonicalByFirstUse(
      std::span<const DeviceId> device_of_group, std::span<const std::size_t> group_order) const;

  // Devices that run every op alike, may take the same groups and hold as much, named in that
  // order, whatever joins them: the least names of all, of a plan that may take another time.
  [[nodiscard]] env::GroupPlacement NamedByFirstUse(std::span<const DeviceId> device_of_group,
                                                    std::span<const std::size_t> group_order) const;

  // All groups, in topological order.
  [[nodiscard]] const std::vector<std::size_t>& group_order() const { return group_order_; }

 private:
  // The connection of an ordered pair of devices.
  struct Joint {
    std::int32_t kind = 0;               // equal numbers: joined alike
    std::vector<std::int32_t> channels;  // that a transfer occupies, ascending
  };
  void FindKinds(const env::Problem& problem);
  void FindJoints(const env::Problem& problem);
  [[nodiscard]] const Joint& At(std::size_t src, std::size_t dst) const {
    return joints_[src * kind_.size() + dst];
  }
  // Devices in the order in which `group_order` comes to more than `share` of their time, then
  // those that have none.
  [[nodiscard]] std::vector<std::size_t> ByBeginning(std::span<const DeviceId> device_of_group,
                                                     std::span<const std::size_t> group_order,
                                                     double share) const;
  // `device_of_group` with the least names that devices in that order may have.
  [[nodiscard]] env::GroupPlacement Renamed(std::span<const DeviceId> device_of_group,
                                            const std::vector<std::size_t>& order) const;
  // Finds names for the devices from `place` of the order on; false if there are none, or the
  // search was given up after `steps_left`.
  [[nodiscard]] bool Name(const std::vector<std::size_t>& order,
                          std::size_t place,
                          std::vector<std::size_t>& name_of,
                          std::int64_t& steps_left) const;
  // Whether the device at `place` of the order may be called `name` beside those before.
  [[nodiscard]] bool Fits(const std::vector<std::size_t>& order,
                          std::size_t place,
                          std::size_t name,
                          const std::vector<std::size_t>& name_of) const;
  // Whether channels can be renamed with the devices.
  [[nodiscard]] bool KeepsChannels(const std::vector<std::size_t>& name_of) const;

  std::vector<std::int32_t> kind_;        // [D]: equal numbers, alike but for what joins them
  std::vector<Joint> joints_;             // [D, D]
  std::vector<std::size_t> group_order_;  // topological
  std::vector<double> group_seconds_;     // [num_groups]
};

}  // namespace opyard::agents
