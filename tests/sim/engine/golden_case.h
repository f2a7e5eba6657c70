// One whole run of the engine as lines of text, for the goldens of the engine.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "sim/graph/op_graph.h"
#include "sim/hardware/hardware_profile.h"
#include "sim/plan/plan.h"

namespace opyard::testing {

// The detail in which a text shows a run.
enum class GoldenDetail : std::uint8_t {
  kSpans,    // every op and transfer
  kSummary,  // for runs of many ops
};

struct GoldenCase {
  std::string name;
  std::shared_ptr<const sim::OpGraph> graph;
  sim::HardwareProfile machine;
  sim::Plan plan;
  GoldenDetail detail = GoldenDetail::kSpans;
};

// The meaning of the lines of TextOf, for the top of a file.
[[nodiscard]] std::string GoldenLegend();

// The rules of the machine that are not plain; the plan; what Run, RunUntil, RunReport and
// ResimulateFrom say of it, the last for each op moved to the next device with a priority of three
// more; PeakResidents where the machine only reports its memory. Ops in the graph's order,
// transfers in that of their start. Fails the running test where Run, RunReport and
// RunWithCheckpoints differ, or a neighbour's run from a whole run of the changed plan.
[[nodiscard]] std::string TextOf(const GoldenCase& golden);

}  // namespace opyard::testing
