// Problems: a graph, a machine, the open decisions, and the objective.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "env/contiguity.h"
#include "env/objective.h"
#include "env/problem_settings.h"
#include "sim/base/ids.h"
#include "sim/cost/cost_table.h"
#include "sim/graph/colocation.h"
#include "sim/graph/op_graph.h"
#include "sim/hardware/hardware_profile.h"
#include "sim/hardware/routes.h"
#include "sim/plan/plan.h"

namespace opyard::sim {
class Simulator;
}

namespace opyard::env {

// The reference that learners measure the plans of a problem against (reward.h).
struct Reference {
  SimTime makespan;    // T_ref
  double score = 0.0;  // the same by the problem's objective (objective.h)
};

struct ProblemSpec {
  std::shared_ptr<const sim::OpGraph> graph;
  std::shared_ptr<const sim::HardwareProfile> hardware;
  ProblemSettings settings;
  std::optional<Reference> reference;  // of the baseline's plan, where a runner made it
};

// Immutable and thread-safe: one problem serves all agents and threads. Everything an agent may
// know is here; plans are evaluated by Evaluator only.
class Problem {
 public:
  // Throws InputError if some op is allowed on no device, or the machine lacks one of
  // ProblemSettings::devices, UnsupportedError if the machine asks for rules that are not
  // simulated, or fusion is a task where nothing fuses.
  explicit Problem(ProblemSpec spec);
  // The problem `other`, measured against `reference`: shares what was worked out for it.
  Problem(const Problem& other, const Reference& reference);
  // The problem `other` with decisions per group of `grouping`: shares what was worked out for it,
  // and its plans are those of `other`. REQUIRES: each group is a union of groups of
  // other.finest_grouping() that may run in the same places (place_sets).
  Problem(const Problem& other, sim::Grouping grouping);
  ~Problem();
  Problem& operator=(const Problem&) = delete;

  [[nodiscard]] const sim::OpGraph& graph() const { return *spec_.graph; }
  // The machine; a device that the problem leaves out is marked (sim::Device::runs_ops).
  [[nodiscard]] const sim::HardwareProfile& hardware() const { return *hardware_; }
  [[nodiscard]] const std::shared_ptr<const sim::OpGraph>& shared_graph() const {
    return spec_.graph;
  }
  // The same without marks: as it was given, but for ProblemSettings::memory.
  [[nodiscard]] const std::shared_ptr<const sim::HardwareProfile>& shared_hardware() const {
    return spec_.hardware;
  }
  // hardware(), with its marks.
  [[nodiscard]] const std::shared_ptr<const sim::HardwareProfile>& shared_marked_hardware() const {
    return hardware_;
  }
  [[nodiscard]] const sim::CostTable& costs() const { return *costs_; }
  [[nodiscard]] const std::shared_ptr<const sim::CostTable>& shared_costs() const { return costs_; }
  [[nodiscard]] const sim::RouteTable& routes() const { return routes_; }
  [[nodiscard]] const ProblemSpec& spec() const { return spec_; }
  // As asked for; `devices` is in the order of the machine, and empty where none is left out.
  [[nodiscard]] const ProblemSettings& settings() const { return spec_.settings; }
  [[nodiscard]] const TaskSet& tasks() const { return settings().tasks; }
  [[nodiscard]] const Objective& objective() const { return settings().objective; }

  // The units of decision (co-location groups, coarsened to max_groups; modules; or ops).
  [[nodiscard]] const sim::Grouping& grouping() const { return *grouping_; }
  // The units of agents that choose how finely they decide: grouping(), but where max_groups is 0
  // all co-location groups. Of modules the ops that may run in the same places are one unit.
  [[nodiscard]] const sim::Grouping& finest_grouping() const { return *finest_; }
  // The devices that group `group` may be placed on, ascending; never empty.
  [[nodiscard]] std::span<const DeviceId> AllowedDevices(GroupId group) const;
  // The devices that ops may be placed on, ascending: all, unless ProblemSettings::devices names
  // some.
  [[nodiscard]] const std::vector<DeviceId>& devices() const { return devices_; }
  // Which ops may run in the same places, for who merges groups.
  [[nodiscard]] sim::PlaceSets place_sets() const { return place_sets_; }
  // The first accelerator of devices(), else the first device.
  [[nodiscard]] DeviceId first_accelerator() const { return first_accelerator_; }
  // Every op on first_accelerator(), or where it may not run there, on its first allowed device.
  [[nodiscard]] const sim::OpPlacement& default_placement() const { return default_placement_; }

  // One fusion priority per op for plans that do not decide them; empty where nothing fuses.
  [[nodiscard]] const std::vector<std::int32_t>& default_fusion_priority() const {
    return default_fusion_priority_;
  }

  // The fusion region of each op where kernels stay inside of modules: of each module, one for the
  // forward pass and one for each other phase, as they are compiled. Else empty.
  [[nodiscard]] const std::vector<std::int32_t>& fusion_region() const { return fusion_region_; }
  // The order that devices follow; null where they need not.
  [[nodiscard]] const Contiguity* contiguity() const { return contiguity_.get(); }

  // No plan is faster (sim/analysis/problem_bound/problem_bound.h): none without fusion, unless
  // fusion is a task or stands in the default plan.
  [[nodiscard]] SimTime problem_bound() const { return problem_bound_; }
  // For weighted objectives; the reference makespan is the bound over all plans without fusion
  // until a better one is known.
  [[nodiscard]] ObjectiveScale objective_scale() const;

  // For Evaluator; agents never see the engine.
  [[nodiscard]] const sim::Simulator& simulator() const { return *simulator_; }
  [[nodiscard]] const std::shared_ptr<const sim::Simulator>& shared_simulator() const {
    return simulator_;
  }

 private:
  Problem(const Problem& other) = default;
  void SetGrouping(std::shared_ptr<const sim::Grouping> grouping);
  void FindPlaces();
  void FindUnits();

  ProblemSpec spec_;
  std::shared_ptr<const sim::HardwareProfile> hardware_;
  std::shared_ptr<const sim::CostTable> costs_;
  sim::RouteTable routes_;
  std::shared_ptr<const sim::Grouping> finest_;
  std::shared_ptr<const sim::Grouping> grouping_;
  std::vector<std::size_t> set_of_group_;  // place_sets_ of its ops
  std::vector<DeviceId> devices_;
  std::vector<std::int32_t> place_sets_;                // [num_ops]
  std::vector<std::vector<DeviceId>> devices_of_sets_;  // ascending, not empty
  DeviceId first_accelerator_;
  sim::OpPlacement default_placement_;
  std::vector<std::int32_t> default_fusion_priority_;
  std::vector<std::int32_t> fusion_region_;
  std::shared_ptr<const Contiguity> contiguity_;
  SimTime problem_bound_;
  SimTime bound_without_fusion_;
  std::shared_ptr<const sim::Simulator> simulator_;
};

}  // namespace opyard::env
