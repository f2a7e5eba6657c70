// Coverage of a graph on a machine by measured times, as opposed to modelled ones.
#pragma once

#include <cstdint>
#include <string>

#include "sim/graph/op_graph.h"
#include "sim/hardware/hardware_profile.h"

namespace opyard::experiments {

// The coverage by measured times of the ops that take time and may run on some device.
struct MeasuredCoverage {
  std::int64_t num_ops = 0;
  std::int64_t num_measured = 0;  // on a device where they may run
  // Where some op may run, but none is measured.
  std::int64_t num_devices_without = 0;

  // True if bounds and plans compare measured times with the cost model's.
  [[nodiscard]] bool is_mixed() const {
    return num_measured > 0 && (num_measured < num_ops || num_devices_without > 0);
  }
};

// O(ops · devices).
[[nodiscard]] MeasuredCoverage MeasuredCoverageOf(const sim::OpGraph& graph,
                                                  const sim::HardwareProfile& hardware);

// "mixes measured and modelled times: 3 of 5 ops measured", of a bound; "" if it does not.
[[nodiscard]] std::string MixedTimesText(const MeasuredCoverage& coverage);

}  // namespace opyard::experiments
