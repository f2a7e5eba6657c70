#include "env/environments/episode.h"

#include <string>

#include "sim/base/error.h"

namespace opyard::env {
namespace {

// `given` if it lies below `count`, else a random index; nothing is sampled where there is no
// choice.
std::size_t Choose(const std::string& what,
                   std::optional<std::size_t> given,
                   std::size_t count,
                   Rng& rng) {
  if (!given.has_value()) {
    return count == 1 ? 0 : static_cast<std::size_t>(rng.Below(count));
  }
  if (*given >= count) {
    throw InputError(what + ": found index " + std::to_string(*given) + ", expected one below " +
                     std::to_string(count));
  }
  return *given;
}

}  // namespace

EpisodeOutcome EpisodeOutcomeOf(sim::Outcome outcome) {
  switch (outcome) {
    case sim::Outcome::kCompleted:
      return EpisodeOutcome::kCompleted;
    case sim::Outcome::kOutOfMemory:
      return EpisodeOutcome::kOutOfMemory;
    case sim::Outcome::kDeadlock:
      return EpisodeOutcome::kDeadlock;
    case sim::Outcome::kCutOff:  // only runs with a limit
      break;
  }
  return EpisodeOutcome::kNotRun;
}

EpisodeInfo BlankInfo(const Stage& stage) {
  return {.lower_bound = stage.problem->problem_bound(),
          .problem_bound = stage.problem->problem_bound(),
          .reference = stage.reference.makespan};
}

std::size_t ChooseStage(const Stages& stages, const EpisodeChoice& choice, Rng& rng) {
  const std::size_t num_machines = stages.options().machines.size();
  const std::size_t graph = Choose("graph", choice.graph, stages.options().graphs.size(), rng);
  const std::size_t machine = Choose("hardware", choice.machine, num_machines, rng);
  return graph * num_machines + machine;
}

Noise SampleNoise(const Stages& stages, std::optional<double> given, Rng& rng) {
  Noise noise{.sigma = given.value_or(stages.options().noise)};
  CheckNoise(noise.sigma);
  noise.seed = noise.sigma > 0.0 ? rng.Next() : 0;
  return noise;
}

}  // namespace opyard::env
