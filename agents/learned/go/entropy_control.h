// How the entropy of a policy is held to a course.
#pragma once

#include <vector>

#include "agents/learned/go/settings.h"
#include "agents/learned/go/view.h"

namespace opyard::agents {

// The entropies of a decision of each task, [T], in nats, that a policy is to have on `level` after
// `used_share` of its training: those of rows that take another action than their likeliest one
// with such a probability q, all others alike, that plans differ from the likeliest plan in as many
// rows as the options say; h(q) = −(1 − q) ln(1 − q) − q ln(q / (choices − 1)). Priorities begin
// with the q of their prior, if that is less.
[[nodiscard]] std::vector<double> WantedEntropies(const GoView& view,
                                                  std::size_t level,
                                                  const GoOptions& options,
                                                  double used_share);

// What an update pays for the entropy of each task: more where there was too little of it, less
// where there was too much. A weight that suits one graph does not suit the next (decision 0025).
class EntropyControl {
 public:
  // Of the tasks in the order of GoTask.
  [[nodiscard]] const std::vector<double>& weights() const { return weights_; }
  void set_weights(const std::vector<double>& weights) { weights_ = weights; }

  [[nodiscard]] double WeightOf(GoTask task) const;
  // After an update that began with the entropy `was`: β ← β exp(2 (wanted − was) / wanted),
  // with at least 0.02 nats in the denominator, in [1e-4, 10].
  void Move(GoTask task, double was, double wanted);

 private:
  std::vector<double> weights_{0.05, 0.05, 0.05};
};

}  // namespace opyard::agents
