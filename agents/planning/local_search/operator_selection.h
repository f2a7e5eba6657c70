// The selection among several kinds of a thing, by how often each has paid.
#pragma once

#include <cstddef>
#include <vector>

#include "sim/base/rng.h"

namespace opyard::agents {

// Probability matching (Thierens, GECCO 2005, section 2.1), with success counts that fade. Kind i
// is sampled with probability
//   floor · share_i + (1 − floor) · share_i · rate_i / Σ_j share_j · rate_j,
// where rate_i is its share of successes among its latest trials. Deviation: the rate is pulled
// towards that of all kinds together, so that a kind that was hardly tried is neither left out nor
// preferred.
class OperatorSelection {
 public:
  // `shares`: how often each is sampled at first, relative to each other; one of 0 never is.
  explicit OperatorSelection(std::vector<double> shares);

  [[nodiscard]] std::size_t size() const { return kinds_.size(); }
  [[nodiscard]] std::vector<double> Probabilities() const;
  // REQUIRES: a share is not 0.
  [[nodiscard]] std::size_t Sample(Rng& rng) const;
  void Learn(std::size_t kind, bool has_paid);

 private:
  struct Kind {
    double share = 0.0;
    double num_trials = 0.0;  // fading
    double num_successes = 0.0;
  };

  std::vector<Kind> kinds_;
};

}  // namespace opyard::agents
