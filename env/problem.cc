#include "env/problem.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "env/op_places.h"
#include "sim/analysis/bounds.h"
#include "sim/analysis/problem_bound/problem_bound.h"
#include "sim/base/check.h"
#include "sim/base/error.h"
#include "sim/base/quote.h"
#include "sim/cost/cost_models.h"
#include "sim/engine/lowering/lowered_problem.h"
#include "sim/engine/rules.h"
#include "sim/engine/simulator.h"
#include "sim/graph/group_numbers.h"
#include "sim/graph/modules.h"

namespace opyard::env {
namespace {

std::vector<DeviceId> DevicesForOps(const sim::HardwareProfile& hardware) {
  std::vector<DeviceId> devices;
  for (std::size_t i = 0; i < hardware.num_devices(); ++i) {
    if (hardware.devices[i].runs_ops) {
      devices.emplace_back(i);
    }
  }
  return devices;
}

DeviceId FirstAccelerator(const sim::HardwareProfile& hardware, std::span<const DeviceId> devices) {
  const auto found = std::ranges::find_if(devices, [&](DeviceId device) {
    return hardware.devices[device.index()].kind != sim::DeviceKind::kCpu;
  });
  return found == devices.end() ? devices.front() : *found;
}

// `grouping` with a group for each part that may run in the same places.
sim::Grouping DividedByPlaces(const sim::OpGraph& graph,
                              const sim::Grouping& grouping,
                              const sim::PlaceSets& places) {
  const std::int32_t num_sets = 1 + *std::ranges::max_element(places);
  std::vector<std::int32_t> label_of;
  for (std::size_t op = 0; op < places.size(); ++op) {
    label_of.push_back(grouping.group_of[op] * num_sets + places[op]);
  }
  return sim::NumberedByFirstOp(
      graph, label_of, static_cast<std::size_t>(grouping.num_groups * num_sets));
}

sim::Grouping FinestGrouping(const ProblemSpec& spec,
                             const std::optional<sim::ModuleTree>& modules,
                             const sim::PlaceSets& places) {
  const ProblemSettings& settings = spec.settings;
  if (settings.max_groups < 0) {
    throw InputError("max_groups: found " + std::to_string(settings.max_groups) +
                     ", expected at least 0");
  }
  sim::Grouping groups =
      settings.decide_per == DecidePer::kModule
          ? DividedByPlaces(*spec.graph,
                            sim::ModuleGroups(*spec.graph, *modules, settings.module_depth),
                            places)
          : sim::ColocationGroups(*spec.graph);
  return settings.decide_per == DecidePer::kOp || settings.max_groups == 0
             ? groups
             : sim::CoarsenGroups(*spec.graph, groups, settings.max_groups, places);
}

// A region for each module and phase: what is compiled together.
std::vector<std::int32_t> RegionsOf(const ProblemSpec& spec, const sim::ModuleTree& modules) {
  const sim::OpGraph& graph = *spec.graph;
  const sim::Grouping groups = sim::ModuleGroups(graph, modules, spec.settings.module_depth);
  constexpr std::int32_t kNumPhases = 4;
  std::vector<std::int32_t> regions;
  for (std::size_t op = 0; op < graph.num_ops(); ++op) {
    regions.push_back(groups.group_of[op] * kNumPhases +
                      static_cast<std::int32_t>(graph.ops()[op].phase));
  }
  return regions;
}

// `finest`, coarsened where the settings leave that to the agents.
std::shared_ptr<const sim::Grouping> UsualGrouping(
    const ProblemSpec& spec,
    const std::shared_ptr<const sim::Grouping>& finest,
    const sim::PlaceSets& places) {
  const bool is_open = spec.settings.decide_per == DecidePer::kGroup &&
                       spec.settings.max_groups == 0 && finest->num_groups > kUsualGroups;
  return is_open ? std::make_shared<const sim::Grouping>(
                       sim::CoarsenGroups(*spec.graph, *finest, kUsualGroups, places))
                 : finest;
}

// The rules of the machine under which nothing fuses.
std::vector<std::string> RulesAgainstFusion(const sim::HardwareProfile& hardware) {
  return sim::FeaturesOf(sim::RulesOf(hardware)).Objections(sim::Question::kFusion);
}

void EnsureDevicesExist(const std::vector<std::string>& names,
                        const sim::HardwareProfile& hardware) {
  Diagnostics diagnostics;
  for (const std::string& name : names) {
    if (!hardware.FindDevice(name).has_value()) {
      const std::vector<std::string> known = hardware.DeviceNames();
      diagnostics.AddError("devices",
                           "found " + Quoted(name) + DidYouMean(name, known) +
                               ", expected a device of " + "machine " + Quoted(hardware.name) +
                               ": " + JoinNames(known));
    }
  }
  diagnostics.ThrowIfAny();
}

// The names in the order of the machine; none if all stand there.
std::vector<std::string> InOrder(const std::vector<std::string>& names,
                                 const sim::HardwareProfile& hardware) {
  EnsureDevicesExist(names, hardware);
  std::vector<std::string> ordered;
  for (const sim::Device& device : hardware.devices) {
    if (std::ranges::find(names, device.name) != names.end()) {
      ordered.push_back(device.name);
    }
  }
  return ordered.size() == hardware.num_devices() ? std::vector<std::string>() : ordered;
}

// The machine of `spec`, marked with what it leaves out.
std::shared_ptr<const sim::HardwareProfile> MachineOf(const ProblemSpec& spec) {
  const std::vector<std::string>& names = spec.settings.devices;
  if (names.empty()) {
    return spec.hardware;
  }
  auto machine = std::make_shared<sim::HardwareProfile>(*spec.hardware);
  for (sim::Device& device : machine->devices) {
    device.runs_ops = std::ranges::find(names, device.name) != names.end();
  }
  return machine;
}

// The parts of a problem that every other part is made from.
ProblemSpec Checked(ProblemSpec spec) {
  OPYARD_CHECK(spec.graph != nullptr && spec.hardware != nullptr, "a problem has both");
  spec.hardware = WithMemory(std::move(spec.hardware), spec.settings.memory);
  spec.settings.devices = InOrder(spec.settings.devices, *spec.hardware);
  const std::vector<std::string> rules = RulesAgainstFusion(*spec.hardware);
  if (spec.settings.tasks.fusion && !rules.empty()) {
    throw UnsupportedError("task fusion: machine " + Quoted(spec.hardware->name) + " has " +
                           rules.front() + ", under which nothing fuses");
  }
  return spec;
}

DefaultFusion DefaultFusionOf(const ProblemSpec& spec) {
  return RulesAgainstFusion(*spec.hardware).empty() ? spec.settings.default_fusion
                                                    : DefaultFusion::kNone;
}

}  // namespace

Problem::Problem(ProblemSpec spec)
    : spec_(Checked(std::move(spec))),
      hardware_(MachineOf(spec_)),
      costs_(std::make_shared<const sim::CostTable>(
          *spec_.graph, *hardware_, *sim::MakeCostModel(spec_.settings.cost_model))),
      routes_(*hardware_),
      devices_(DevicesForOps(*hardware_)),
      first_accelerator_(FirstAccelerator(*hardware_, devices_)) {
  const sim::OpGraph& graph = *spec_.graph;
  const sim::HardwareProfile& hardware = *hardware_;
  FindPlaces();
  FindUnits();
  if (DefaultFusionOf(spec_) != DefaultFusion::kNone) {
    default_fusion_priority_.assign(graph.num_ops(), 1);
  }
  const bool may_fuse = tasks().fusion || !default_fusion_priority_.empty();
  sim::BoundedPlans plans{.one_op_at_a_time =
                              sim::RunsOneOpAtATime(hardware, spec_.settings.default_queue)};
  bound_without_fusion_ = sim::ProblemBound(graph, hardware, *costs_, routes_, plans);
  plans.kernels = sim::KernelsOfPlans::kFused;
  problem_bound_ = may_fuse ? sim::ProblemBound(graph, hardware, *costs_, routes_, plans)
                            : bound_without_fusion_;
  simulator_ = std::make_shared<const sim::Simulator>(
      sim::LowerProblem(spec_.graph, hardware_, costs_, routes_));
}

Problem::Problem(const Problem& other, const Reference& reference) : Problem(other) {
  spec_.reference = reference;
}

Problem::Problem(const Problem& other, sim::Grouping grouping) : Problem(other) {
  SetGrouping(std::make_shared<const sim::Grouping>(std::move(grouping)));
}

Problem::~Problem() = default;

void Problem::FindPlaces() {
  const OpPlaces places(*spec_.graph, *hardware_);
  places.EnsureEachOpFits();
  place_sets_ = places.Sets();
  for (std::size_t op = 0; op < place_sets_.size(); ++op) {
    const auto set = static_cast<std::size_t>(place_sets_[op]);
    devices_of_sets_.resize(std::max(devices_of_sets_.size(), set + 1));
    if (devices_of_sets_[set].empty()) {
      devices_of_sets_[set] = places.DevicesOf(op);
    }
    const std::vector<DeviceId>& devices = devices_of_sets_[set];
    default_placement_.push_back(std::ranges::binary_search(devices, first_accelerator_)
                                     ? first_accelerator_
                                     : devices.front());
  }
}

void Problem::FindUnits() {
  const sim::OpGraph& graph = *spec_.graph;
  const bool fuses_in_modules = DefaultFusionOf(spec_) == DefaultFusion::kModule;
  std::optional<sim::ModuleTree> modules;
  if (settings().decide_per == DecidePer::kModule || fuses_in_modules) {
    modules = sim::ModuleTreeOf(graph);
  }
  finest_ = std::make_shared<const sim::Grouping>(FinestGrouping(spec_, modules, place_sets_));
  SetGrouping(UsualGrouping(spec_, finest_, place_sets_));
  if (fuses_in_modules) {
    fusion_region_ = RegionsOf(spec_, *modules);
  }
  if (settings().contiguous) {
    Contiguity::AllowedDevices allowed(static_cast<std::size_t>(finest_->num_groups));
    for (std::size_t op = 0; op < graph.num_ops(); ++op) {
      allowed[static_cast<std::size_t>(finest_->group_of[op])] =
          devices_of_sets_[static_cast<std::size_t>(place_sets_[op])];
    }
    contiguity_ = std::make_shared<const Contiguity>(graph, *finest_, allowed, costs_);
  }
}

void Problem::SetGrouping(std::shared_ptr<const sim::Grouping> grouping) {
  grouping_ = std::move(grouping);
  set_of_group_.assign(static_cast<std::size_t>(grouping_->num_groups), 0);
  for (std::size_t op = 0; op < place_sets_.size(); ++op) {
    set_of_group_[static_cast<std::size_t>(grouping_->group_of[op])] =
        static_cast<std::size_t>(place_sets_[op]);
  }
}

std::span<const DeviceId> Problem::AllowedDevices(GroupId group) const {
  return devices_of_sets_[set_of_group_[group.index()]];
}

ObjectiveScale Problem::objective_scale() const {
  // At least 1: a graph of views takes no time, and a fully reserved memory has no bytes.
  ObjectiveScale scale{.reference_makespan = std::max(bound_without_fusion_, SimTime{1}),
                       .largest_capacity = Bytes{1}};
  for (const DeviceId device : devices_) {
    scale.largest_capacity = std::max(scale.largest_capacity, hardware().capacity(device));
  }
  return scale;
}

}  // namespace opyard::env
