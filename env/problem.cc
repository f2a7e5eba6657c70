#include "env/problem.h"

#include <algorithm>
#include <string>
#include <utility>

#include "sim/base/check.h"
#include "sim/base/error.h"
#include "sim/base/quote.h"
#include "sim/cost/roofline.h"
#include "sim/engine/lowering/lowered_problem.h"
#include "sim/engine/rules.h"
#include "sim/engine/simulator.h"
#include "sim/plan/validate.h"
#include "sim/trace/bounds.h"

namespace opyard::env {
namespace {

using DeviceSet = std::vector<bool>;  // [num_devices]

// Where each op may run, co-location counted: devices that suit all ops of its label.
class AllowedOnMachine {
 public:
  AllowedOnMachine(const sim::OpGraph& graph, const sim::HardwareProfile& hardware)
      : of_label_(graph.colocation_labels().size(), DeviceSet(hardware.num_devices(), true)) {
    for (const sim::Op& op : graph.ops()) {
      of_op_.push_back(DevicesOf(op, hardware));
      if (op.colocation.has_value()) {
        Intersect(of_label_[static_cast<std::size_t>(*op.colocation)], of_op_.back());
      }
    }
    for (std::size_t i = 0; i < of_op_.size(); ++i) {
      if (const auto label = graph.ops()[i].colocation) {
        of_op_[i] = of_label_[static_cast<std::size_t>(*label)];
      }
    }
  }

  [[nodiscard]] const DeviceSet& of_op(std::size_t op) const { return of_op_[op]; }

  static void Intersect(DeviceSet& set, const DeviceSet& other) {
    for (std::size_t device = 0; device < set.size(); ++device) {
      set[device] = set[device] && other[device];
    }
  }

 private:
  static DeviceSet DevicesOf(const sim::Op& op, const sim::HardwareProfile& hardware) {
    DeviceSet devices;
    for (const sim::Device& device : hardware.devices) {
      devices.push_back(sim::IsAllowedOn(op, device));
    }
    return devices;
  }

  std::vector<DeviceSet> of_op_;
  std::vector<DeviceSet> of_label_;
};

bool IsEmpty(const DeviceSet& set) {
  return std::ranges::find(set, true) == set.end();
}

// The kinds of `op`, for a message: "gpu, tpu".
std::string KindsText(const sim::Op& op) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < sim::kNumDeviceKinds; ++i) {
    const auto kind = static_cast<sim::DeviceKind>(i);
    if (op.device_kinds.Contains(kind)) {
      names.emplace_back(sim::NameOf(kind));
    }
  }
  return JoinNames(names);
}

void EnsureEachOpFits(const sim::OpGraph& graph,
                      const sim::HardwareProfile& hardware,
                      const AllowedOnMachine& allowed) {
  ProblemList problems;
  for (std::size_t i = 0; i < graph.num_ops(); ++i) {
    if (IsEmpty(allowed.of_op(i))) {
      const sim::Op& op = graph.ops()[i];
      problems.Add("graph " + Quoted(graph.name()) + " on machine " + Quoted(hardware.name),
                   "op " + Quoted(op.name) +
                       (op.colocation.has_value() ? ", with those it is co-located with," : "") +
                       " may run on no device (kinds allowed: " + KindsText(op) +
                       "; devices: " + JoinNames(hardware.DeviceNames()) + ")");
    }
  }
  problems.ThrowIfAny();
}

DeviceId FirstAccelerator(const sim::HardwareProfile& hardware) {
  for (std::size_t i = 0; i < hardware.num_devices(); ++i) {
    if (hardware.devices[i].kind != sim::DeviceKind::kCpu) {
      return DeviceId(i);
    }
  }
  return DeviceId(0);
}

DeviceId FirstOf(const DeviceSet& set) {
  return DeviceId(static_cast<std::size_t>(std::ranges::find(set, true) - set.begin()));
}

// The devices that suit all ops of each group.
std::vector<DeviceSet> DevicesOfGroups(const sim::Grouping& grouping,
                                       const AllowedOnMachine& allowed,
                                       std::size_t num_devices) {
  std::vector<DeviceSet> of_group(static_cast<std::size_t>(grouping.num_groups),
                                  DeviceSet(num_devices, true));
  for (std::size_t op = 0; op < grouping.group_of.size(); ++op) {
    AllowedOnMachine::Intersect(of_group[static_cast<std::size_t>(grouping.group_of[op])],
                                allowed.of_op(op));
  }
  return of_group;
}

sim::Grouping GroupingOf(const ProblemSpec& spec) {
  if (spec.max_groups < 1) {
    throw InputError("max_groups: found " + std::to_string(spec.max_groups) +
                     ", expected at least 1");
  }
  sim::Grouping groups = sim::ColocationGroups(*spec.graph);
  return spec.decide_per == DecidePer::kOp
             ? groups
             : sim::CoarsenGroups(*spec.graph, groups, spec.max_groups);
}

// The rules of the machine under which nothing fuses.
std::vector<std::string> RulesAgainstFusion(const sim::HardwareProfile& hardware) {
  return sim::FeaturesOf(sim::RulesOf(hardware)).Objections(sim::Question::kFusion);
}

// The parts of a problem that every other part is made from.
ProblemSpec Checked(ProblemSpec spec) {
  OPYARD_CHECK(spec.graph != nullptr && spec.hardware != nullptr, "a problem has both");
  const std::vector<std::string> rules = RulesAgainstFusion(*spec.hardware);
  if (spec.tasks.fusion && !rules.empty()) {
    throw UnsupportedError("task fusion: machine " + Quoted(spec.hardware->name) + " has " +
                           rules.front() + ", under which nothing fuses");
  }
  return spec;
}

DefaultFusion DefaultFusionOf(const ProblemSpec& spec) {
  return RulesAgainstFusion(*spec.hardware).empty() ? spec.default_fusion : DefaultFusion::kNone;
}

}  // namespace

Problem::Problem(ProblemSpec spec)
    : spec_(Checked(std::move(spec))),
      costs_(std::make_shared<const sim::CostTable>(
          *spec_.graph, *spec_.hardware, sim::RooflineModel())),
      routes_(*spec_.hardware),
      grouping_(GroupingOf(spec_)),
      first_accelerator_(FirstAccelerator(*spec_.hardware)) {
  const sim::OpGraph& graph = *spec_.graph;
  const sim::HardwareProfile& hardware = *spec_.hardware;
  const AllowedOnMachine allowed(graph, hardware);
  EnsureEachOpFits(graph, hardware, allowed);
  for (std::size_t op = 0; op < graph.num_ops(); ++op) {
    const DeviceSet& devices = allowed.of_op(op);
    default_placement_.push_back(devices[first_accelerator_.index()] ? first_accelerator_
                                                                     : FirstOf(devices));
  }
  first_allowed_.push_back(0);
  for (const DeviceSet& devices : DevicesOfGroups(grouping_, allowed, hardware.num_devices())) {
    OPYARD_CHECK(!IsEmpty(devices), "a group has a device");
    for (std::size_t device = 0; device < devices.size(); ++device) {
      if (devices[device]) {
        allowed_.emplace_back(device);
      }
    }
    first_allowed_.push_back(static_cast<std::int32_t>(allowed_.size()));
  }
  if (DefaultFusionOf(spec_) == DefaultFusion::kFramework) {
    default_fusion_priority_.assign(graph.num_ops(), 1);
  }
  const bool may_fuse = spec_.tasks.fusion || !default_fusion_priority_.empty();
  bound_without_fusion_ = sim::ProblemBound(graph, hardware, *costs_);
  problem_bound_ =
      may_fuse ? sim::ProblemBoundWithFusion(graph, hardware, *costs_) : bound_without_fusion_;
  simulator_ = std::make_shared<const sim::Simulator>(
      sim::LowerProblem(spec_.graph, spec_.hardware, costs_, routes_));
}

Problem::Problem(const Problem& other, const Reference& reference) : Problem(other) {
  spec_.reference = reference;
}

Problem::~Problem() = default;

std::span<const DeviceId> Problem::AllowedDevices(std::int32_t group) const {
  const auto index = static_cast<std::size_t>(group);
  const auto first = static_cast<std::size_t>(first_allowed_[index]);
  const auto end = static_cast<std::size_t>(first_allowed_[index + 1]);
  return std::span(allowed_).subspan(first, end - first);
}

ObjectiveScale Problem::objective_scale() const {
  // At least 1: a graph of views takes no time, and a fully reserved memory has no bytes.
  ObjectiveScale scale{.reference_makespan = std::max(bound_without_fusion_, SimTime{1}),
                       .largest_capacity = Bytes{1}};
  for (std::size_t i = 0; i < hardware().num_devices(); ++i) {
    scale.largest_capacity = std::max(scale.largest_capacity, hardware().capacity(DeviceId(i)));
  }
  return scale;
}

}  // namespace opyard::env
