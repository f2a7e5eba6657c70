#include "agents/learned/go/elites.h"

#include <algorithm>

#include "env/reward.h"

namespace opyard::agents::go {

void Elites::Add(const torch::Tensor& plans, const std::vector<double>& rewards) {
  for (std::size_t i = 0; i < rewards.size(); ++i) {
    if (rewards[i] > env::kFailureReward) {
      AddPlan(plans[static_cast<std::int64_t>(i)], rewards[i]);
    }
  }
}

void Elites::AddPlan(const torch::Tensor& plan, double reward) {
  const auto is_worse = [&](const Elite& elite) { return elite.reward < reward; };
  const auto is_equal = [&](const Elite& elite) { return torch::equal(elite.plan, plan); };
  const auto at = std::ranges::find_if(elites_, is_worse);
  if (std::any_of(elites_.begin(), at, is_equal)) {
    return;
  }
  elites_.insert(at, {.reward = reward, .plan = plan.clone()});
  if (std::ssize(elites_) > most_) {
    elites_.pop_back();
  }
}

torch::Tensor Elites::plans() const {
  std::vector<torch::Tensor> plans;
  for (const Elite& elite : elites_) {
    plans.push_back(elite.plan);
  }
  return torch::stack(plans);
}

std::vector<double> Elites::rewards() const {
  std::vector<double> rewards;
  for (const Elite& elite : elites_) {
    rewards.push_back(elite.reward);
  }
  return rewards;
}

}  // namespace opyard::agents::go
