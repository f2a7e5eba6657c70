// Pipeline stages: runs of a network's units on one device each.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "experiments/plans/layouts/layout.h"
#include "experiments/plans/layouts/network_units.h"

namespace opyard::experiments {

// The units that a target keeps together: [first, end) of NetworkUnits::modules.
struct UnitRange {
  std::size_t first = 0;
  std::size_t end = 0;
};

// The cuts that a target makes: what it keeps together, and where stages may go.
enum class StageForm : std::uint8_t {
  kUnits,  // each unit may begin a stage; a rank may have several stages
  kLayers,  // blocks and modules `mtp…` may begin a stage; what stands before them is one part, and
            // what stands behind
  kRanks,  // blocks may begin a stage, each rank has one, and the ends go with the outer blocks
};

// True for modules of multi-token prediction: the last name of their path begins with "mtp".
[[nodiscard]] bool IsTokenPrediction(const sim::ModuleTree& tree, std::int32_t module);

// What stages hold whole under `form`, in the network's order: all units, each in one part.
[[nodiscard]] std::vector<UnitRange> PartsOf(const NetworkUnits& units,
                                             const sim::ModuleTree& tree,
                                             StageForm form);

struct Stage {
  UnitRange units;
  DeviceId device;
  std::size_t rank = 0;
};

// The stages of a plan, in the network's order, and the device of each rank, in the order in which
// stages reach them.
struct Stages {
  NetworkUnits units;
  std::vector<Stage> stages;
  std::vector<DeviceId> ranks;

  [[nodiscard]] std::vector<std::int32_t> StageOfOps() const;  // [num_ops]
};

// The stages that the plan's placement makes. Adds a reason for each part that is on several
// devices, for each stage on a device that has had one, unless `form` allows several and stage s is
// of rank s mod ranks, and where the network has no repeated blocks. Nothing where parts are not on
// one device each, and without blocks.
[[nodiscard]] std::optional<Stages> FindStages(const LayoutInput& input,
                                               StageForm form,
                                               const std::string& target,
                                               std::vector<Inexpressible>& reasons);

// The placement nearest to the plan's that has one stage per device and whole parts: that which
// leaves most of the time of ops where the plan has it. Of more than 12 devices those with most
// time count. The plan's own placement where the network has no repeated blocks. O(parts · devices
// · 2^devices).
[[nodiscard]] sim::OpPlacement RoundToStages(const LayoutInput& input, StageForm form);

}  // namespace opyard::experiments
