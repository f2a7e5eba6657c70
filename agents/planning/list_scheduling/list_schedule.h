// Builds a placement by list scheduling: ops in order of priority, each to the device where it ends
// first.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "agents/planning/estimates/arrivals.h"
#include "agents/planning/estimates/device_timeline.h"
#include "agents/planning/estimates/group_memory.h"
#include "agents/planning/estimates/op_times.h"
#include "agents/planning/estimates/transfer_times.h"
#include "env/group_placement.h"
#include "env/problem.h"
#include "sim/base/ids.h"
#include "sim/base/units.h"

namespace opyard::agents {

// Where on a device an op may start: in any idle gap, or only after all work so far.
enum class GapRule { kInsert, kAppend };

// The rule by which a group of several ops finds its device; for a group of one op both are the
// same. With kFirstOp it is the device where the group's first op in the list ends first. With
// kWholeGroup it is the device with the least sum of the end of the group's anchor, the time of its
// other ops, and the time of their transfers from and to groups that have a device. The anchor is
// the group's first op in the list that takes time; inputs not scheduled yet do not delay it.
enum class GroupDeviceRule { kFirstOp, kWholeGroup };

struct ListScheduleOptions {
  GapRule gaps = GapRule::kInsert;
  GroupDeviceRule group_device = GroupDeviceRule::kWholeGroup;
  // Without: memory is ignored. With: a device is chosen only while the parameters and outputs of
  // its ops stay within this share of its limit (GroupMemory); if none qualifies, the one with most
  // room left.
  std::optional<double> memory_share;
  TransferRule transfers = TransferRule::kAlone;
  // Null: each op takes what it takes alone. Outlives the call.
  const OpTimes* times = nullptr;
  // The devices that a group may go to, where it is allowed on one of them; empty: all.
  std::vector<DeviceId> devices;
  // The device of a group whatever its score, where it is allowed and has room; [num_groups], or
  // empty: the score decides for all.
  std::vector<std::optional<DeviceId>> preferred_device = {};
};

// Its placement is a guide; what it is worth, the evaluator says.
struct ListSchedule {
  env::GroupPlacement device_of_group;  // [num_groups]
  std::vector<SimTime> start;           // [num_ops]
  std::vector<SimTime> finish;          // [num_ops]
  SimTime makespan;
};

// The op that comes next in a schedule; called once per op with what is scheduled so far.
using NextOp = std::function<OpId(const ListSchedule& so_far)>;

// Makes schedules of one problem that differ in their key: what they share is worked out once. Used
// by one thread at a time. The problem, the transfer times and the options' op times outlive it.
class ListScheduler {
 public:
  ListScheduler(const env::Problem& problem,
                const TransferTimes& transfers,
                const ListScheduleOptions& options);
  ListScheduler(const ListScheduler&) = delete;
  ListScheduler& operator=(const ListScheduler&) = delete;

  // Schedules the ops by falling `key`, equals by topological index; devices that tie go to the
  // lowest index. The result is valid until the next call, and does not depend on those before.
  // REQUIRES: `key`, [num_ops], never increases along an edge. O(devices · edges + ops · log ops),
  // more where transfers are booked on channels with few gaps that are long enough.
  [[nodiscard]] const ListSchedule& Build(std::span<const double> key);
  // Schedules the ops as `next` names them; a group's anchor is its first op in topological order
  // that takes time. REQUIRES: `next` names each op once, and none before those that it reads.
  [[nodiscard]] const ListSchedule& BuildBy(const NextOp& next);

 private:
  // An input of the op in question whose producer is scheduled.
  struct Input {
    TensorId tensor;
    EndOfOp end;
  };
  // A transfer between the group in question and the device of another.
  struct Transfer {
    Bytes bytes;
    DeviceId device;
  };
  // A device that a group may go to.
  struct Choice {
    DeviceId device;
    SimTime rest;   // the score without the end of the group's anchor
    SimTime bound;  // lower bound of the score
  };

  void FindOpsOfGroups();
  void FindOpenDevices();
  void AddTimesOfGroups();
  void Clear();
  void FindAnchors(std::span<const OpId> order);

  void Schedule(OpId op);
  void Decide(std::size_t group, OpId first_op);
  [[nodiscard]] std::optional<DeviceId> FindPreferred(std::size_t group) const;
  void Place(OpId op, DeviceId device);

  void CollectInputs(OpId op);
  void CollectArriving(std::size_t group);
  void CollectDeparting(std::size_t group);
  void CollectChoices(std::size_t group, OpId op);
  void AddChoice(std::size_t group, OpId op, DeviceId device);
  [[nodiscard]] DeviceId BestChoice(OpId op);

  [[nodiscard]] SimTime SoonestFinish(OpId op, DeviceId device) const;
  [[nodiscard]] SimTime Start(OpId op, DeviceId device) const;
  [[nodiscard]] SimTime ControlsOn(DeviceId device) const;
  [[nodiscard]] SimTime StartWhenReady(OpId op, DeviceId device, SimTime ready) const;
  [[nodiscard]] SimTime RestOfScore(std::size_t group, OpId op, DeviceId device) const;

  [[nodiscard]] std::size_t GroupOf(OpId op) const {
    return static_cast<std::size_t>(group_of_[op.index()]);
  }
  [[nodiscard]] DeviceId DeviceOf(OpId op) const { return schedule_.device_of_group[GroupOf(op)]; }
  [[nodiscard]] std::span<const OpId> OpsOf(std::size_t group) const {
    return std::span(ops_).subspan(first_op_[group], first_op_[group + 1] - first_op_[group]);
  }
  [[nodiscard]] std::span<const DeviceId> OpenDevices(std::size_t group) const {
    return std::span(open_).subspan(first_open_[group],
                                    first_open_[group + 1] - first_open_[group]);
  }

  // Derived from the problem and the options.
  const env::Problem& problem_;
  const sim::OpGraph& graph_;
  const TransferTimes& transfers_;
  const ListScheduleOptions options_;
  std::optional<OpTimes> alone_;  // where the options have none
  const OpTimes& times_;
  std::span<const std::int32_t> group_of_;  // [num_ops]
  std::vector<std::size_t> first_op_;       // ops_ of group i: [first_op_[i], first_op_[i + 1])
  std::vector<OpId> ops_;                   // ascending by topological index in each group
  std::vector<std::size_t> first_open_;     // open_ of group i likewise
  std::vector<DeviceId> open_;              // those of the options' devices that allow a group
  std::vector<SimTime> time_of_group_;      // [num_groups, num_devices], of all its ops

  // State of the schedule under construction.
  std::vector<OpId> anchor_;  // [num_groups]
  std::vector<DeviceTimeline> timelines_;
  Arrivals arrivals_;
  std::vector<std::uint8_t> is_decided_;    // [num_groups]
  std::vector<std::uint8_t> is_scheduled_;  // [num_ops]
  std::optional<GroupMemory> memory_;
  ListSchedule schedule_;

  // State of the decision in question.
  std::vector<Input> inputs_;
  std::vector<EndOfOp> controls_;
  std::vector<TensorId> arriving_tensors_;
  std::vector<Transfer> arriving_;
  std::vector<Transfer> departing_;
  std::vector<std::optional<TensorId>> last_sent_;  // [num_devices]
  std::vector<Choice> choices_;
};

// One schedule, as ListScheduler makes it.
[[nodiscard]] ListSchedule BuildListSchedule(const env::Problem& problem,
                                             const TransferTimes& transfers,
                                             std::span<const double> key,
                                             const ListScheduleOptions& options);

}  // namespace opyard::agents
