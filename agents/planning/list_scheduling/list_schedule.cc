#include "agents/planning/list_scheduling/list_schedule.h"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <utility>

#include "agents/planning/encoding/decisions.h"
#include "agents/planning/estimates/ranks.h"
#include "sim/base/array_index.h"

namespace opyard::agents {

ListScheduler::ListScheduler(const env::Problem& problem,
                             const TransferTimes& transfers,
                             const ListScheduleOptions& options)
    : problem_(problem),
      graph_(problem.graph()),
      transfers_(transfers),
      options_(options),
      alone_(options.times == nullptr ? std::optional(OpTimes::Alone(problem)) : std::nullopt),
      times_(options.times == nullptr ? *alone_ : *options.times),
      group_of_(problem.grouping().group_of),
      anchor_(NumGroups(problem)),
      timelines_(problem.hardware().num_devices()),
      arrivals_(problem, transfers, options.transfers),
      is_decided_(anchor_.size()),
      is_scheduled_(graph_.num_ops()),
      last_sent_(timelines_.size()) {
  if (options.memory_share.has_value()) {
    memory_.emplace(problem, *options.memory_share);
  }
  schedule_.device_of_group.resize(anchor_.size());
  schedule_.start.resize(graph_.num_ops());
  schedule_.finish.resize(graph_.num_ops());
  FindOpsOfGroups();
  FindOpenDevices();
  AddTimesOfGroups();
}

void ListScheduler::FindOpsOfGroups() {
  first_op_.assign(anchor_.size() + 1, 0);
  for (const std::int32_t group : group_of_) {
    ++first_op_[At(group) + 1];
  }
  std::partial_sum(first_op_.begin(), first_op_.end(), first_op_.begin());
  ops_.resize(graph_.num_ops());
  std::vector<std::size_t> next = first_op_;
  for (const OpId op : graph_.topological_order()) {
    ops_[next[GroupOf(op)]++] = op;
  }
}

void ListScheduler::FindOpenDevices() {
  for (std::size_t group = 0; group < anchor_.size(); ++group) {
    first_open_.push_back(open_.size());
    const auto allowed = problem_.AllowedDevices(GroupId(group));
    std::ranges::copy_if(allowed, std::back_inserter(open_), [&](DeviceId device) {
      return std::ranges::find(options_.devices, device) != options_.devices.end();
    });
    if (open_.size() == first_open_.back()) {
      open_.insert(open_.end(), allowed.begin(), allowed.end());
    }
  }
  first_open_.push_back(open_.size());
}

void ListScheduler::AddTimesOfGroups() {
  time_of_group_.resize(anchor_.size() * timelines_.size());
  for (std::size_t i = 0; i < graph_.num_ops(); ++i) {
    for (std::size_t d = 0; d < timelines_.size(); ++d) {
      time_of_group_[GroupOf(OpId(i)) * timelines_.size() + d] += times_.time(OpId(i), DeviceId(d));
    }
  }
}

const ListSchedule& ListScheduler::Build(std::span<const double> key) {
  Clear();
  const std::vector<OpId> order = OrderByKey(graph_, key);
  FindAnchors(order);
  std::ranges::for_each(order, [&](OpId op) { Schedule(op); });
  return schedule_;
}

const ListSchedule& ListScheduler::BuildBy(const NextOp& next) {
  Clear();
  FindAnchors(graph_.topological_order());
  for (std::size_t i = 0; i < graph_.num_ops(); ++i) {
    Schedule(next(schedule_));
  }
  return schedule_;
}

void ListScheduler::Clear() {
  for (DeviceTimeline& timeline : timelines_) {
    timeline.Clear();
  }
  arrivals_.Clear();
  std::ranges::fill(is_decided_, 0);
  std::ranges::fill(is_scheduled_, 0);
  std::ranges::fill(last_sent_, std::nullopt);
  if (memory_.has_value()) {
    memory_->Clear();
  }
  schedule_.makespan = SimTime{};
}

// The first op of each group in the order that takes time, else its first.
void ListScheduler::FindAnchors(std::span<const OpId> order) {
  std::vector<std::uint8_t> is_found(anchor_.size(), 0);
  for (auto it = order.rbegin(); it != order.rend(); ++it) {
    const std::size_t group = GroupOf(*it);
    const bool takes_time = problem_.costs().MeanSeconds(*it) > 0.0;
    if (takes_time || is_found[group] == 0) {
      anchor_[group] = *it;
    }
    is_found[group] = is_found[group] != 0 || takes_time ? 1 : 0;
  }
}

void ListScheduler::Schedule(OpId op) {
  const std::size_t group = GroupOf(op);
  if (is_decided_[group] == 0) {
    Decide(group, op);
  }
  Place(op, schedule_.device_of_group[group]);
}

void ListScheduler::Decide(std::size_t group, OpId first_op) {
  arriving_.clear();
  departing_.clear();
  const bool counts_whole_group = options_.group_device == GroupDeviceRule::kWholeGroup;
  if (counts_whole_group) {
    CollectArriving(group);
    CollectDeparting(group);
  }
  const OpId op = counts_whole_group ? anchor_[group] : first_op;
  CollectInputs(op);
  CollectChoices(group, op);
  const DeviceId best = BestChoice(op);
  const DeviceId device = FindPreferred(group).value_or(best);
  schedule_.device_of_group[group] = device;
  is_decided_[group] = 1;
  if (memory_.has_value()) {
    memory_->Add(group, device);
  }
}

std::optional<DeviceId> ListScheduler::FindPreferred(std::size_t group) const {
  if (options_.preferred_device.empty() || !options_.preferred_device[group].has_value()) {
    return std::nullopt;
  }
  const DeviceId device = *options_.preferred_device[group];
  const bool has_room = !memory_.has_value() || memory_->HasRoom(group, device);
  return has_room && IsAllowed(problem_, group, device) ? std::optional(device) : std::nullopt;
}

// Collects the inputs of `op`. An op that is not scheduled yet delays nothing.
void ListScheduler::CollectInputs(OpId op) {
  inputs_.clear();
  controls_.clear();
  const auto end_of = [&](OpId before) {
    return EndOfOp{.time = schedule_.finish[before.index()], .device = DeviceOf(before)};
  };
  for (const TensorId tensor : graph_.inputs(op)) {
    const OpId producer = graph_.tensor(tensor).producer;
    if (is_scheduled_[producer.index()] != 0) {
      inputs_.push_back({.tensor = tensor, .end = end_of(producer)});
    }
  }
  for (const OpId before : graph_.control_inputs(op)) {
    if (is_scheduled_[before.index()] != 0) {
      controls_.push_back(end_of(before));
    }
  }
}

// Collects the tensors that the ops of `group` but its anchor read from other groups that have a
// device, each once.
void ListScheduler::CollectArriving(std::size_t group) {
  arriving_tensors_.clear();
  for (const OpId op : OpsOf(group)) {
    for (const TensorId tensor : graph_.inputs(op)) {
      const std::size_t source = GroupOf(graph_.tensor(tensor).producer);
      if (op != anchor_[group] && is_decided_[source] != 0) {
        arriving_tensors_.push_back(tensor);
      }
    }
  }
  std::ranges::sort(arriving_tensors_);
  const auto repeated = std::ranges::unique(arriving_tensors_);
  arriving_tensors_.erase(repeated.begin(), repeated.end());
  for (const TensorId id : arriving_tensors_) {
    const sim::Tensor& tensor = graph_.tensor(id);
    arriving_.push_back({.bytes = tensor.bytes, .device = DeviceOf(tensor.producer)});
  }
}

// Collects the tensors that groups that have a device read from `group`, each once per device.
void ListScheduler::CollectDeparting(std::size_t group) {
  for (const OpId op : OpsOf(group)) {
    for (std::size_t k = 0; k < graph_.num_outputs(op); ++k) {
      const TensorId tensor = graph_.output(op, k);
      for (const OpId consumer : graph_.consumers(tensor)) {
        if (is_decided_[GroupOf(consumer)] == 0) {
          continue;
        }
        const DeviceId destination = DeviceOf(consumer);
        if (std::exchange(last_sent_[destination.index()], tensor) != tensor) {
          departing_.push_back({.bytes = graph_.tensor(tensor).bytes, .device = destination});
        }
      }
    }
  }
}

void ListScheduler::CollectChoices(std::size_t group, OpId op) {
  choices_.clear();
  for (const DeviceId device : OpenDevices(group)) {
    if (!memory_.has_value() || memory_->HasRoom(group, device)) {
      AddChoice(group, op, device);
    }
  }
  if (choices_.empty()) {
    AddChoice(group, op, *std::ranges::max_element(OpenDevices(group), {}, [&](DeviceId device) {
                return memory_->RoomLeft(device);
              }));
  }
}

void ListScheduler::AddChoice(std::size_t group, OpId op, DeviceId device) {
  const SimTime rest = RestOfScore(group, op, device);
  choices_.push_back({.device = device, .rest = rest, .bound = SoonestFinish(op, device) + rest});
}

SimTime ListScheduler::RestOfScore(std::size_t group, OpId op, DeviceId device) const {
  if (options_.group_device == GroupDeviceRule::kFirstOp) {
    return SimTime{};
  }
  SimTime sum =
      time_of_group_[group * timelines_.size() + device.index()] - times_.time(op, device);
  for (const Transfer& transfer : arriving_) {
    sum += transfers_.Time(transfer.bytes, transfer.device, device);
  }
  for (const Transfer& transfer : departing_) {
    sum += transfers_.Time(transfer.bytes, device, transfer.device);
  }
  return sum;
}

// The device of the least score, of the least index among equals. Searches channels for room, which
// takes long, only where a device could still be the best.
DeviceId ListScheduler::BestChoice(OpId op) {
  std::ranges::sort(choices_, [](const Choice& a, const Choice& b) {
    return a.bound < b.bound || (a.bound == b.bound && a.device < b.device);
  });
  if (options_.transfers == TransferRule::kAlone) {
    return choices_.front().device;  // the bounds are the scores
  }
  DeviceId best;
  std::optional<SimTime> best_score;
  for (const Choice& choice : choices_) {
    if (best_score.has_value() && choice.bound > *best_score) {
      break;
    }
    const SimTime score = Start(op, choice.device) + times_.time(op, choice.device) + choice.rest;
    if (!best_score.has_value() || score < *best_score ||
        (score == *best_score && choice.device < best)) {
      best = choice.device;
      best_score = score;
    }
  }
  return best;
}

SimTime ListScheduler::SoonestFinish(OpId op, DeviceId device) const {
  SimTime ready = ControlsOn(device);
  for (const Input& input : inputs_) {
    ready = std::max(ready, arrivals_.SoonestOf(input.tensor, input.end, device));
  }
  return StartWhenReady(op, device, ready) + times_.time(op, device);
}

SimTime ListScheduler::Start(OpId op, DeviceId device) const {
  SimTime ready = ControlsOn(device);
  for (const Input& input : inputs_) {
    ready = std::max(ready, arrivals_.Of(input.tensor, input.end, device));
  }
  return StartWhenReady(op, device, ready);
}

// When `device` could know that the ops before the one in question by control edges ended.
SimTime ListScheduler::ControlsOn(DeviceId device) const {
  SimTime ready;
  for (const EndOfOp& end : controls_) {
    ready = std::max(ready, arrivals_.OfControl(end, device));
  }
  return ready;
}

SimTime ListScheduler::StartWhenReady(OpId op, DeviceId device, SimTime ready) const {
  const DeviceTimeline& timeline = timelines_[device.index()];
  ready = std::max(ready, graph_.op(op).release);
  return options_.gaps == GapRule::kAppend
             ? timeline.EarliestAppend(ready)
             : timeline.EarliestInsertion(ready, times_.time(op, device));
}

void ListScheduler::Place(OpId op, DeviceId device) {
  CollectInputs(op);
  for (const Input& input : inputs_) {
    arrivals_.Book(input.tensor, input.end, device);
  }
  const SimTime duration = times_.time(op, device);
  const SimTime start = Start(op, device);
  timelines_[device.index()].Occupy(start, duration);
  is_scheduled_[op.index()] = 1;
  schedule_.start[op.index()] = start;
  schedule_.finish[op.index()] = start + duration;
  schedule_.makespan = std::max(schedule_.makespan, start + duration);
}

ListSchedule BuildListSchedule(const env::Problem& problem,
                               const TransferTimes& transfers,
                               std::span<const double> key,
                               const ListScheduleOptions& options) {
  return ListScheduler(problem, transfers, options).Build(key);
}

}  // namespace opyard::agents
