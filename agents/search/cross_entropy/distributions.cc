#include "agents/search/cross_entropy/distributions.h"

#include <algorithm>
#include <numeric>

#include "env/group_placement.h"

namespace opyard::agents {
namespace {

ChoiceRows DeviceRows(const env::Problem& problem) {
  const std::size_t num_devices = problem.hardware().num_devices();
  const std::size_t num_groups = problem.tasks().placement ? NumGroups(problem) : 0;
  std::vector<std::uint8_t> is_allowed(num_groups * num_devices, 0);
  for (std::size_t group = 0; group < num_groups; ++group) {
    for (const DeviceId device : problem.AllowedDevices(GroupId(group))) {
      is_allowed[group * num_devices + device.index()] = 1;
    }
  }
  return {num_devices, std::move(is_allowed)};
}

ChoiceRows LevelRows(bool is_task, std::size_t num_groups, std::int64_t num_levels) {
  const auto num_choices = static_cast<std::size_t>(num_levels);
  return {num_choices, std::vector<std::uint8_t>(is_task ? num_groups * num_choices : 0, 1)};
}

template <class Choice>
std::vector<std::size_t> Indices(const std::vector<Choice>& choices) {
  return {choices.begin(), choices.end()};
}

std::vector<std::size_t> Indices(const env::GroupPlacement& device_of_group) {
  std::vector<std::size_t> indices;
  for (const DeviceId device : device_of_group) {
    indices.push_back(device.index());
  }
  return indices;
}

template <class Choice>
void MoveRowsTowards(std::span<const Decisions> elites,
                     std::vector<Choice> Decisions::*part,
                     double step,
                     ChoiceRows& rows) {
  if (rows.num_rows() == 0) {
    return;
  }
  std::vector<std::vector<std::size_t>> chosen;
  for (const Decisions& elite : elites) {
    chosen.push_back(Indices(elite.*part));
  }
  rows.MoveTowards(chosen, step);
}

}  // namespace

ChoiceRows::ChoiceRows(std::size_t num_choices, std::vector<std::uint8_t> is_allowed)
    : num_choices_(num_choices),
      is_allowed_(std::move(is_allowed)),
      probabilities_(is_allowed_.size(), 0.0) {
  MixWithUniform(1.0);
}

std::size_t ChoiceRows::Sample(std::size_t row, Rng& rng) const {
  double rest = rng.Uniform();
  std::size_t last = 0;
  for (std::size_t choice = 0; choice < num_choices_; ++choice) {
    const double p = probability(row, choice);
    if (p <= 0.0) {
      continue;
    }
    last = choice;
    rest -= p;
    if (rest < 0.0) {
      break;
    }
  }
  return last;  // the last that is possible, where rounding left something
}

void ChoiceRows::MoveTowards(std::span<const std::vector<std::size_t>> chosen, double step) {
  for (double& p : probabilities_) {
    p *= 1.0 - step;
  }
  const double share = step / static_cast<double>(chosen.size());
  for (const std::vector<std::size_t>& choices : chosen) {
    for (std::size_t row = 0; row < choices.size(); ++row) {
      probabilities_[row * num_choices_ + choices[row]] += share;
    }
  }
}

void ChoiceRows::MixWithUniform(double share) {
  for (std::size_t row = 0; row < num_rows(); ++row) {
    const auto allowed = std::span(is_allowed_).subspan(row * num_choices_, num_choices_);
    const double uniform = share / std::accumulate(allowed.begin(), allowed.end(), 0.0);
    for (std::size_t choice = 0; choice < num_choices_; ++choice) {
      double& p = probabilities_[row * num_choices_ + choice];
      p = (1.0 - share) * p + (allowed[choice] != 0 ? uniform : 0.0);
    }
  }
}

Distributions::Distributions(const env::Problem& problem, std::int64_t num_levels)
    : devices_(DeviceRows(problem)),
      levels_(LevelRows(problem.tasks().scheduling, NumGroups(problem), num_levels)),
      fusion_(LevelRows(problem.tasks().fusion, NumGroups(problem), kNumFusionLevels)) {}

Decisions Distributions::Sample(Rng& rng) const {
  Decisions decisions;
  for (std::size_t row = 0; row < devices_.num_rows(); ++row) {
    decisions.device_of_group.emplace_back(devices_.Sample(row, rng));
  }
  for (std::size_t row = 0; row < levels_.num_rows(); ++row) {
    decisions.priority_of_group.push_back(static_cast<std::int64_t>(levels_.Sample(row, rng)));
  }
  for (std::size_t row = 0; row < fusion_.num_rows(); ++row) {
    decisions.fusion_of_group.push_back(static_cast<std::int32_t>(fusion_.Sample(row, rng)));
  }
  return decisions;
}

void Distributions::MoveTowards(std::span<const Decisions> elites, double step) {
  MoveRowsTowards(elites, &Decisions::device_of_group, step, devices_);
  MoveRowsTowards(elites, &Decisions::priority_of_group, step, levels_);
  MoveRowsTowards(elites, &Decisions::fusion_of_group, step, fusion_);
}

void Distributions::MixWithUniform(double share) {
  for (ChoiceRows* rows : {&devices_, &levels_, &fusion_}) {
    rows->MixWithUniform(share);
  }
}

}  // namespace opyard::agents
