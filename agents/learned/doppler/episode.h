// Episodes of DOPPLER: step after step SELECT takes a ready node and PLACE puts it on a device.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <torch/torch.h>

#include "agents/learned/doppler/policy.h"
#include "agents/learned/doppler/settings.h"
#include "agents/learned/doppler/view.h"
#include "sim/base/rng.h"

namespace opyard::agents::doppler {

// N steps, in which every node is placed once; D devices, F columns of a device.
struct Episode {
  std::vector<std::int64_t> candidates;  // [C]: the ready nodes of all steps, step after step
  std::vector<std::int64_t> first;       // [N + 1]: those of step t are [first[t], first[t + 1])
  std::vector<std::int64_t> columns;     // [N]: which of them was taken
  std::vector<std::int64_t> nodes;       // [N]: it
  std::vector<std::int64_t> devices;     // [N]: where it was put
  std::vector<float> device_x;           // [N, D, F]: PartialSchedule::AppendDeviceFeatures
  std::vector<float> is_critical;        // [C]: the teacher would take it
  std::vector<float> is_earliest;        // [N, D]: the teacher would put it there

  // The candidates of step `step`.
  [[nodiscard]] std::span<const std::int64_t> CandidatesOf(std::size_t step) const;
};

// Who makes the decisions of an episode (Chooser), the exploration of the policies, and the
// teacher's placement.
struct ActOptions {
  Chooser select = Chooser::kPolicy;
  Chooser place = Chooser::kPolicy;
  Exploration exploration = Exploration::kSample;
  double epsilon = 0.0;  // of kEpsilonGreedy
  // [N]: where the teacher puts each node; empty: by its list schedule.
  std::vector<std::int64_t> target;
};

// Plays `num_episodes` side by side, so that a step of all is one batch. All samples are from
// `rng`, step after step, of each step those of SELECT before those of PLACE, episode after
// episode. Simulates nothing.
[[nodiscard]] std::vector<Episode> Play(const View& view,
                                        Policy& policy,
                                        const ActOptions& options,
                                        std::int64_t num_episodes,
                                        Rng& rng);

// The decisions of whole episodes, one after the other: R = episodes · N rows.
struct EpisodeBatch {
  SelectBatch select;
  torch::Tensor column;       // int64 [R]: the candidate that was taken
  torch::Tensor is_critical;  // [R, M]: the teacher would take it
  PlaceBatch place;
  torch::Tensor device;       // int64 [R]: where it was put
  torch::Tensor is_earliest;  // [R, D]: the teacher would put it there
};

[[nodiscard]] EpisodeBatch MakeEpisodeBatch(const View& view, std::span<const Episode> episodes);

}  // namespace opyard::agents::doppler
