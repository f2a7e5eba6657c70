#include "experiments/text/measured_coverage.h"

#include <cstddef>
#include <vector>

#include "sim/cost/measured.h"
#include "sim/cost/zero_cost.h"
#include "sim/plan/validate.h"

namespace opyard::experiments {

MeasuredCoverage MeasuredCoverageOf(const sim::OpGraph& graph,
                                    const sim::HardwareProfile& hardware) {
  MeasuredCoverage coverage;
  std::vector<bool> runs_some(hardware.num_devices());
  std::vector<bool> measures_some(hardware.num_devices());
  for (std::size_t i = 0; i < graph.num_ops(); ++i) {
    const OpId op(i);
    bool is_timed = false;
    bool is_measured = false;
    for (std::size_t d = 0; d < hardware.num_devices() && !sim::IsZeroCost(graph, op); ++d) {
      if (!sim::IsAllowedOn(graph.op(op), hardware.devices[d])) {
        continue;
      }
      const bool is_here = sim::FindMeasuredSeconds(graph, op, hardware.devices[d]).has_value();
      runs_some[d] = is_timed = true;
      measures_some[d] = measures_some[d] || is_here;
      is_measured = is_measured || is_here;
    }
    coverage.num_ops += is_timed ? 1 : 0;
    coverage.num_measured += is_measured ? 1 : 0;
  }
  for (std::size_t d = 0; d < hardware.num_devices(); ++d) {
    coverage.num_devices_without += runs_some[d] && !measures_some[d] ? 1 : 0;
  }
  return coverage;
}

std::string MixedTimesText(const MeasuredCoverage& coverage) {
  if (!coverage.is_mixed()) {
    return "";
  }
  std::string text = "mixes measured and modelled times: " + std::to_string(coverage.num_measured) +
                     " of " + std::to_string(coverage.num_ops) + " ops measured";
  if (coverage.num_devices_without > 0) {
    text += ", none on " + std::to_string(coverage.num_devices_without) + " of the devices";
  }
  return text;
}

}  // namespace opyard::experiments
