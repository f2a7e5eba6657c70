// Control of the entropy of a policy along a course.
#pragma once

#include <vector>

#include "agents/learned/go/settings.h"
#include "agents/learned/go/view.h"

namespace opyard::agents::go {

// The entropies of a decision of each task, [T], in nats, that a policy is to have on `resolution`
// after `used_share` of its training. Rows take another action than their likeliest one with
// probability q, all others alike: h(q) = −(1 − q) ln(1 − q) − q ln(q / (choices − 1)). The q is
// such that plans differ from the likeliest plan in as many rows as the options say. Priorities
// begin with the q of their prior, if that is less.
[[nodiscard]] std::vector<double> WantedEntropies(const View& view,
                                                  std::size_t resolution,
                                                  const TrainingOptions& options,
                                                  double used_share);

// The weights of the entropy of each task in updates on one problem, on each of its resolutions:
// more where there was too little of it, less where there was too much. A weight that suits one
// graph, or one number of rows, does not suit the next (decision 0025).
class EntropyControl {
 public:
  explicit EntropyControl(const EntropyBonus& bonus) : bonus_(bonus) {}

  // The weight of a resolution that no update moved is that of the last one before it that was;
  // else the first.
  [[nodiscard]] double WeightOf(std::size_t resolution, Task task) const;
  // After an update that began with the entropy `was`: β ← β exp(gain (wanted − was) / wanted),
  // with at least 0.02 nats in the denominator and the exponent in ± gain, β in [1e-4, 1]. Leaves
  // a constant weight as it is.
  void Move(std::size_t resolution, Task task, double was, double wanted);

  // By resolution, then in the order of Task; NaN for what no update moved.
  [[nodiscard]] const std::vector<double>& weights() const { return weights_; }
  void set_weights(const std::vector<double>& weights) { weights_ = weights; }

 private:
  EntropyBonus bonus_;
  std::vector<double> weights_;
};

}  // namespace opyard::agents::go
