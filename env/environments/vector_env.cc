#include "env/environments/vector_env.h"

#include <algorithm>
#include <limits>
#include <string>

#include "sim/base/check.h"
#include "sim/base/error.h"

namespace opyard::env {
namespace {

constexpr std::size_t kNoStage = std::numeric_limits<std::size_t>::max();

// Row `lane` of an array with `num_lanes` rows.
template <class T>
std::span<T> RowOf(std::vector<T>& rows, std::size_t lane, std::size_t num_lanes) {
  const std::size_t width = rows.size() / num_lanes;
  return std::span(rows).subspan(lane * width, width);
}

template <class From, class To>
void CopyInto(const std::vector<From>& from, std::vector<To>& to, std::size_t lane) {
  std::ranges::copy(from, to.begin() + static_cast<std::ptrdiff_t>(lane * from.size()));
}

}  // namespace

std::size_t MaskSizeOf(const Environment& lane) {
  std::size_t size = 0;
  for (const std::int32_t choices : lane.num_choices()) {
    size += static_cast<std::size_t>(choices);
  }
  return size;
}

StepBatch::StepBatch(const Room& room, std::size_t lanes, std::size_t mask_size)
    : num_lanes(lanes) {
  const auto ops = static_cast<std::size_t>(room.max_ops);
  const auto devices = static_cast<std::size_t>(room.max_devices);
  plan.resize(lanes * 3 * ops);
  current.resize(lanes * ops);
  device_load.resize(lanes * devices);
  device_memory.resize(lanes * devices);
  progress.resize(lanes * 2);
  action_mask.resize(lanes * mask_size);
}

StepObservation StepBatch::Row(std::size_t lane) {
  return {.plan = RowOf(plan, lane, num_lanes),
          .current = RowOf(current, lane, num_lanes),
          .device_load = RowOf(device_load, lane, num_lanes),
          .device_memory = RowOf(device_memory, lane, num_lanes),
          .progress = RowOf(progress, lane, num_lanes),
          .action_mask = RowOf(action_mask, lane, num_lanes)};
}

PaddedBatch::PaddedBatch(const Room& its_room, std::size_t lanes) : room(its_room) {
  const auto ops = static_cast<std::size_t>(room.max_ops);
  const auto edges = static_cast<std::size_t>(room.max_edges);
  const auto devices = static_cast<std::size_t>(room.max_devices);
  op_type.resize(lanes * ops);
  x.resize(lanes * ops * kNumFeatures);
  edge_index.resize(lanes * 2 * edges);
  edge_x.resize(lanes * edges * kNumEdgeFeatures);
  device_x.resize(lanes * devices * kNumDeviceFeatures);
  pair_x.resize(lanes * devices * devices * kNumPairFeatures);
  topological_order.resize(lanes * ops);
  group_id.resize(lanes * ops);
  op_mask.resize(lanes * ops);
  edge_mask.resize(lanes * edges);
  machine_mask.resize(lanes * devices);
}

void PaddedBatch::Copy(const PaddedObservation& padded, std::size_t lane) {
  CopyInto(padded.op_type, op_type, lane);
  CopyInto(padded.x, x, lane);
  CopyInto(padded.edge_index, edge_index, lane);
  CopyInto(padded.edge_x, edge_x, lane);
  CopyInto(padded.device_x, device_x, lane);
  CopyInto(padded.pair_x, pair_x, lane);
  CopyInto(padded.topological_order, topological_order, lane);
  CopyInto(padded.group_id, group_id, lane);
  CopyInto(padded.op_mask, op_mask, lane);
  CopyInto(padded.edge_mask, edge_mask, lane);
  CopyInto(padded.machine_mask, machine_mask, lane);
}

ObservationBatch::ObservationBatch(const Environment& lane, std::size_t num_lanes)
    : padded(lane.stages().room(), num_lanes),
      step(lane.observes_steps() ? lane.stages().room() : Room{}, num_lanes, MaskSizeOf(lane)) {}

VectorEnv::VectorEnv(const Environment& lane, const VectorOptions& options)
    : options_(options),
      pool_(options.num_threads),
      workspaces_(options.num_threads),
      observations_(lane, options.num_lanes),
      final_observations_(lane, options.autoreset == Autoreset::kSameStep ? options.num_lanes : 0),
      shown_(options.num_lanes, kNoStage),
      finally_shown_(options.num_lanes, kNoStage),
      rewards_(options.num_lanes, 0.0),
      terminated_(options.num_lanes, 0),
      truncated_(options.num_lanes, 0),
      infos_(options.num_lanes),
      stages_(options.num_lanes, 0),
      steps_(options.num_lanes, 0) {
  OPYARD_CHECK(options.num_lanes >= 1 && options.max_episode_steps.value_or(1) >= 1,
               "at least one lane, and one step");
  for (std::size_t i = 0; i < options.num_lanes; ++i) {
    lanes_.push_back(lane.Fork());
  }
}

VectorEnv::~VectorEnv() = default;

template <class Work>
void VectorEnv::ForLanes(const Work& work) {
  const bool is_long =
      std::ranges::any_of(lanes_, [](const auto& lane) { return lane->simulates_next_step(); });
  if (!is_long) {
    for (std::size_t lane = 0; lane < num_lanes(); ++lane) {
      work(lane, workspaces_[0]);
    }
    return;
  }
  // Few items: what it takes to hand one out is more than a step of a small graph.
  const std::size_t at_once =
      (num_lanes() + 4 * options_.num_threads - 1) / (4 * options_.num_threads);
  pool_.ForEach((num_lanes() + at_once - 1) / at_once, [&](std::size_t worker, std::size_t item) {
    const std::size_t end = std::min((item + 1) * at_once, num_lanes());
    for (std::size_t lane = item * at_once; lane < end; ++lane) {
      work(lane, workspaces_[worker]);
    }
    return true;
  });
}

void VectorEnv::Observe(std::size_t lane, ObservationBatch& to, std::vector<std::size_t>& shown) {
  const std::size_t stage = lanes_[lane]->state().present;
  if (shown[lane] != stage) {
    to.padded.Copy(lanes_[lane]->stage().padded, lane);
    shown[lane] = stage;
  }
  lanes_[lane]->Write(to.step.Row(lane));
}

void VectorEnv::ResetLane(std::size_t lane,
                          std::optional<std::uint64_t> seed,
                          const EpisodeStart& start,
                          StageWorkspaces& workspaces) {
  lanes_[lane]->Reset(seed, start, workspaces);
  Observe(lane, observations_, shown_);
}

void VectorEnv::Reset(std::span<const std::optional<std::uint64_t>> seeds,
                      const EpisodeStart& start,
                      std::span<const std::uint8_t> mask) {
  OPYARD_CHECK((seeds.empty() || seeds.size() == num_lanes()) &&
                   (mask.empty() || mask.size() == num_lanes()),
               "one entry per lane");
  ForLanes([&](std::size_t lane, StageWorkspaces& workspaces) {
    if (!mask.empty() && mask[lane] == 0) {
      return;
    }
    ResetLane(lane, seeds.empty() ? std::nullopt : seeds[lane], start, workspaces);
    Note(lane, 0.0, false, false);
  });
}

void VectorEnv::Note(std::size_t lane, double reward, bool is_terminated, bool is_truncated) {
  const LaneState& state = lanes_[lane]->state();
  rewards_[lane] = reward;
  terminated_[lane] = is_terminated ? 1 : 0;
  truncated_[lane] = is_truncated ? 1 : 0;
  infos_[lane] = state.info;
  stages_[lane] = state.present;
  steps_[lane] = state.num_steps;
}

void VectorEnv::StepLane(std::size_t lane,
                         std::span<const std::int32_t> action,
                         StageWorkspaces& memory) {
  Environment& environment = *lanes_[lane];
  if (options_.autoreset == Autoreset::kNextStep && IsOver(lane)) {
    ResetLane(lane, std::nullopt, {}, memory);
    Note(lane, 0.0, false, false);
    return;
  }
  const StepResult result = environment.Step(action, memory);
  const LaneState& state = environment.state();
  const bool is_long =
      options_.max_episode_steps.has_value() && state.num_steps >= *options_.max_episode_steps;
  Note(lane, result.reward, state.is_over, is_long && !state.is_over);
  if (options_.autoreset == Autoreset::kSameStep && IsOver(lane)) {
    Observe(lane, final_observations_, finally_shown_);
    ResetLane(lane, std::nullopt, {}, memory);
  } else if (result.info.outcome == EpisodeOutcome::kIllegalAction) {
    Observe(lane, observations_, shown_);
  } else {
    environment.Update(observations_.step.Row(lane));
  }
}

void VectorEnv::Step(std::span<const std::int32_t> actions) {
  const std::size_t width = lanes_.front()->num_choices().size();
  if (actions.size() != width * num_lanes()) {
    throw InputError("actions: found " + std::to_string(actions.size()) + " numbers, expected " +
                     std::to_string(num_lanes()) + " rows of " + std::to_string(width));
  }
  for (std::size_t lane = 0; lane < num_lanes(); ++lane) {
    const bool begins_anew = options_.autoreset == Autoreset::kNextStep && IsOver(lane);
    if (!begins_anew && (lanes_[lane]->state().is_over ||
                         (options_.autoreset == Autoreset::kDisabled && IsOver(lane)))) {
      throw InputError("step: the episode of environment " + std::to_string(lane) +
                       " is over, expected a reset");
    }
  }
  ForLanes([&](std::size_t lane, StageWorkspaces& workspaces) {
    StepLane(lane, actions.subspan(lane * width, width), workspaces);
  });
}

}  // namespace opyard::env
