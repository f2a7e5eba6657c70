// Fair sharing in the reference simulator: fluid flows with max-min fair rates.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "sim/base/units.h"

namespace opyard::testing {

class ReferenceFlows {
 public:
  // `capacities`: bytes per second of every resource.
  explicit ReferenceFlows(std::map<std::string, double> capacities);

  // Flow `id` begins at `now` with `bytes` > 0 over `resources`; it has a rate from the next
  // ShareAnew on. Calls for one instant come in the order in which the flows count.
  void Start(std::size_t id, const std::set<std::string>& resources, Bytes bytes, SimTime now);
  // Removes and returns the flows whose end is `now`.
  [[nodiscard]] std::vector<std::size_t> TakeEnded(SimTime now);
  // After starts or ends at `now`: moves every flow up to `now` and gives all of them new rates and
  // ends. Does nothing if none started or ended.
  void ShareAnew(SimTime now);
  [[nodiscard]] std::optional<SimTime> NextEnd() const;

 private:
  struct Flow {
    std::size_t id = 0;
    std::set<std::string> resources;
    double bytes_left = 0.0;
    double rate = 0.0;  // bytes per second
    std::optional<SimTime> end;
  };

  void MoveTo(SimTime now);
  [[nodiscard]] std::map<std::size_t, double> MaxMinRates() const;

  std::map<std::string, double> capacities_;
  std::vector<Flow> flows_;  // in the order of their start
  SimTime moved_to_;
  bool has_changed_ = false;
};

}  // namespace opyard::testing
