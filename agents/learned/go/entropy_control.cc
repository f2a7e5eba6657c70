#include "agents/learned/go/entropy_control.h"

#include <algorithm>
#include <cmath>

namespace opyard::agents::go {
namespace {

constexpr double kLeastWanted = 0.02;  // nats
constexpr double kLeastChanges = 0.5;  // rows of a plan that differ from the likeliest plan's
constexpr double kLeastWeight = 1e-4;
constexpr double kMostWeight = 1.0;

// Where the weight of a task on a resolution stands.
std::size_t Slot(std::size_t resolution, Task task) {
  return resolution * kNumTasks + static_cast<std::size_t>(task);
}

// h(q).
double EntropyOf(double q, double num_choices) {
  return -(1.0 - q) * std::log(1.0 - q) - q * std::log(q / (num_choices - 1.0));
}

// With which probability a decision is a rule's at first; 0: there is no rule.
double PriorOf(const Sizes& sizes, Task task) {
  const bool is_order = task == Task::kScheduling && sizes.priority_head == PriorityHead::kGumbel;
  return task == Task::kPlacement || (is_order && !sizes.ranked) ? 0.0 : sizes.level_prior;
}

// The numbers of a task's decisions and choices on the rows of a resolution.
struct Choices {
  double num_rows = 0.0;   // that have a choice
  double num_choices = 2;  // of a row that has most
};

Choices ChoicesOf(const DecisionRows& rows, Task task, const Sizes& sizes) {
  const auto num_rows = static_cast<double>(rows.mask.size(0));
  if (task == Task::kScheduling && sizes.priority_head == PriorityHead::kGumbel) {
    // Near a rule's order a row changes places with the next one; else any of those left may come.
    return {.num_rows = num_rows - 1.0,
            .num_choices = PriorOf(sizes, task) > 0.0 ? 2.0 : std::max(num_rows / 2.0, 2.0)};
  }
  if (task != Task::kPlacement) {
    return {.num_rows = num_rows, .num_choices = static_cast<double>(sizes.levels)};
  }
  const torch::Tensor counts = rows.mask.to(torch::kCPU).sum(1);  // [R]
  return {.num_rows = (counts > 1).sum().item<double>(),
          .num_choices = std::max(counts.max().item<double>(), 2.0)};
}

// The greatest q that is aimed at: a part of that of equal probabilities.
double GreatestShare(const Choices& choices, const TrainingOptions& options, Task task) {
  const double even = options.exploration.start * (1.0 - 1.0 / choices.num_choices);
  const double prior = PriorOf(options.sizes, task);
  return prior == 0.0 ? even : std::min(even, 1.0 - prior);
}

double WantedEntropy(const View& view,
                     std::size_t resolution,
                     const TrainingOptions& options,
                     Task task,
                     double used_share) {
  const auto choices_on = [&](const DecisionRows& rows) {
    return ChoicesOf(rows, task, options.sizes);
  };
  const Choices first = choices_on(view.resolutions.front());
  const Choices here = choices_on(view.resolutions[resolution]);
  if (here.num_rows == 0.0) {
    return 0.0;
  }
  const double most = GreatestShare(here, options, task);
  const double at_start =
      std::max(GreatestShare(first, options, task) * first.num_rows, kLeastChanges);
  const double at_end = std::min(options.exploration.end, at_start);
  const double wanted = at_start * std::pow(at_end / at_start, used_share);
  const double entropy = EntropyOf(std::min(wanted / here.num_rows, most), here.num_choices);
  return entropy * here.num_rows / static_cast<double>(view.resolutions[resolution].mask.size(0));
}

}  // namespace

std::vector<double> WantedEntropies(const View& view,
                                    std::size_t resolution,
                                    const TrainingOptions& options,
                                    double used_share) {
  std::vector<double> wanted;
  for (const Task task : view.tasks) {
    wanted.push_back(WantedEntropy(view, resolution, options, task, used_share));
  }
  return wanted;
}

double EntropyControl::WeightOf(std::size_t resolution, Task task) const {
  for (std::size_t i = resolution + 1; i-- > 0;) {
    const std::size_t slot = Slot(i, task);
    if (slot < weights_.size() && !std::isnan(weights_[slot])) {
      return weights_[slot];
    }
  }
  return bonus_.weight;
}

void EntropyControl::Move(std::size_t resolution, Task task, double was, double wanted) {
  if (wanted <= 0.0 || bonus_.rule == EntropyRule::kConstant) {
    return;
  }
  const double weight = WeightOf(resolution, task);
  const double missing = (wanted - was) / std::max(wanted, kLeastWanted);
  const double step = bonus_.gain * std::clamp(missing, -1.0, 1.0);
  if (weights_.size() < Slot(resolution + 1, Task::kPlacement)) {
    weights_.resize(Slot(resolution + 1, Task::kPlacement), std::nan(""));
  }
  weights_[Slot(resolution, task)] = std::clamp(weight * std::exp(step), kLeastWeight, kMostWeight);
}

}  // namespace opyard::agents::go
