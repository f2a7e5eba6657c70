// One episode of an environment: where it begins, and what is known of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "env/environments/noise.h"
#include "env/environments/stages.h"
#include "sim/base/rng.h"
#include "sim/base/units.h"
#include "sim/result/sim_result.h"

namespace opyard::env {

// The outcome of an episode; the numbers are part of the Python interface.
enum class EpisodeOutcome : std::uint8_t {
  kNotRun = 0,
  kCompleted = 1,
  kOutOfMemory = 2,
  kIllegalAction = 3,
  kDeadlock = 4,  // ops waited for memory that nothing freed
};

[[nodiscard]] EpisodeOutcome EpisodeOutcomeOf(sim::Outcome outcome);

// The figures of the plan that was simulated last in the episode.
struct EpisodeInfo {
  EpisodeOutcome outcome = EpisodeOutcome::kNotRun;
  SimTime makespan;       // not completed: when it stopped; 0 where nothing ran
  Bytes peak_memory;      // the greatest over all devices; 0 where nothing ran
  SimTime lower_bound;    // docs/modelling.md, "Bounds": of the plan, if the environment says so
  SimTime problem_bound;  // over all plans
  SimTime reference;      // T_ref of the reward

  friend bool operator==(const EpisodeInfo&, const EpisodeInfo&) = default;
};

// Before anything ran on the stage.
[[nodiscard]] EpisodeInfo BlankInfo(const Stage& stage);

// Which graph and machine of the options an episode plays; sampled at random where nothing is said.
struct EpisodeChoice {
  std::optional<std::size_t> graph;
  std::optional<std::size_t> machine;
};

// The index of the chosen stage. Takes no random number where there is no choice. Throws InputError
// for a choice beyond the lists.
[[nodiscard]] std::size_t ChooseStage(const Stages& stages, const EpisodeChoice& choice, Rng& rng);

// The noise of the next episode, of which `given` or else the options say the sigma. Takes no
// random number without noise. Throws InputError for one out of range.
[[nodiscard]] Noise SampleNoise(const Stages& stages, std::optional<double> given, Rng& rng);

// A ratio in [0, infinity) as a number in [0, 1].
[[nodiscard]] inline float Squashed(double ratio) {
  return static_cast<float>(ratio / (1.0 + ratio));
}

struct StepResult {
  double reward = 0.0;
  EpisodeInfo info;
};

}  // namespace opyard::env
