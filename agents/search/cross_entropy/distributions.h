// Independent distributions per group and task, which cross-entropy search samples plans from.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "agents/planning/encoding/decisions.h"
#include "env/problem.h"
#include "sim/base/rng.h"

namespace opyard::agents {

// The rows of one task, uniform at first. A row is a group's; a choice is a number below
// num_choices, of which a group may be denied some.
class ChoiceRows {
 public:
  // `is_allowed`: [num_rows, num_choices] row-major, at least one of each row.
  ChoiceRows(std::size_t num_choices, std::vector<std::uint8_t> is_allowed);

  [[nodiscard]] std::size_t Sample(std::size_t row, Rng& rng) const;
  [[nodiscard]] double probability(std::size_t row, std::size_t choice) const {
    return probabilities_[row * num_choices_ + choice];
  }
  // p ← (1 − step) · p + step · (share of `chosen` at each choice). [num_plans][num_rows]
  void MoveTowards(std::span<const std::vector<std::size_t>> chosen, double step);
  // p ← (1 − share) · p + share · uniform over what is allowed.
  void MixWithUniform(double share);

  [[nodiscard]] std::size_t num_rows() const { return is_allowed_.size() / num_choices_; }

 private:
  std::size_t num_choices_;
  std::vector<std::uint8_t> is_allowed_;
  std::vector<double> probabilities_;
};

// The distributions of all tasks. Keeps a reference to `problem`.
class Distributions {
 public:
  Distributions(const env::Problem& problem, std::int64_t num_levels);

  [[nodiscard]] Decisions Sample(Rng& rng) const;
  void MoveTowards(std::span<const Decisions> elites, double step);
  void MixWithUniform(double share);

 private:
  ChoiceRows devices_;
  ChoiceRows levels_;
  ChoiceRows fusion_;
};

}  // namespace opyard::agents
