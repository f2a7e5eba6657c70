#include "agents/learned/go/problem_memories.h"

#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "sim/base/error.h"

namespace opyard::agents::go {
namespace {

constexpr const char* kPlan = "memories.plan.";        // problem "." resolution: int64 [T, R]
constexpr const char* kRewards = "memories.rewards.";  // of the resolutions; −infinity: no plan
constexpr const char* kEntropy = "memories.entropy.";
constexpr const char* kName = "memories.problem.";
constexpr const char* kNumProblems = "memories.problems";

std::string PlanName(const std::string& number, std::size_t resolution) {
  return kPlan + number + "." + std::to_string(resolution);
}

// No tensor is empty: the last number means nothing.
torch::Tensor WeightsOf(const EntropyControl& entropy) {
  std::vector<double> weights = entropy.weights();
  weights.push_back(0.0);
  return torch::tensor(weights, torch::kDouble);
}

std::vector<double> ValuesOf(const torch::Tensor& tensor) {
  const auto* const first = tensor.const_data_ptr<double>();
  return {first, first + tensor.numel()};
}

bool IsValues(const torch::Tensor& values) {
  return values.scalar_type() == torch::kDouble && values.dim() == 1 && values.numel() > 0;
}

torch::Tensor RewardsOf(const std::vector<RowPlan>& plans) {
  std::vector<double> rewards;
  for (const RowPlan& plan : plans) {
    rewards.push_back(plan.actions.defined() ? plan.reward
                                             : -std::numeric_limits<double>::infinity());
  }
  return torch::tensor(rewards, torch::kDouble);
}

// Takes the plans of problem `number` out of `checkpoint`. Nothing if one is missing or damaged.
std::optional<std::vector<RowPlan>> TakePlans(Checkpoint& checkpoint,
                                              const std::string& number,
                                              const std::vector<double>& rewards) {
  std::vector<RowPlan> plans;
  for (const double reward : rewards) {
    RowPlan plan;
    if (std::isfinite(reward)) {
      const auto found = checkpoint.tensors.extract(PlanName(number, plans.size()));
      if (found.empty() || found.mapped().scalar_type() != torch::kLong ||
          found.mapped().dim() != 2) {
        return std::nullopt;
      }
      plan = {.actions = found.mapped(), .reward = reward};
    }
    plans.push_back(std::move(plan));
  }
  return plans;
}

bool Fits(const torch::Tensor& actions, const View& view, std::size_t resolution) {
  const torch::Tensor& mask = view.resolutions[resolution].mask;  // [R, D]
  if (actions.size(0) != std::ssize(view.tasks) || actions.size(1) != mask.size(0)) {
    return false;
  }
  for (std::size_t i = 0; i < view.tasks.size(); ++i) {
    const torch::Tensor of_task = actions[static_cast<std::int64_t>(i)];
    const bool is_order = view.tasks[i] == Task::kScheduling && view.head == PriorityHead::kGumbel;
    const std::int64_t num_choices = view.tasks[i] == Task::kPlacement ? mask.size(1)
                                     : is_order                        ? mask.size(0)
                                                                       : view.num_levels;
    if (of_task.min().item<std::int64_t>() < 0 ||
        of_task.max().item<std::int64_t>() >= num_choices) {
      return false;
    }
  }
  return true;
}

}  // namespace

ProblemMemory& ProblemMemories::Of(const std::string& problem) {
  return memories_.try_emplace(problem, bonus_).first->second;
}

void ProblemMemories::AddTo(Checkpoint& checkpoint) const {
  std::size_t i = 0;
  for (const auto& [name, memory] : memories_) {
    if (memory.plans.empty()) {
      continue;
    }
    const std::string number = std::to_string(i++);
    checkpoint.record[kName + number] = name;
    for (std::size_t resolution = 0; resolution < memory.plans.size(); ++resolution) {
      if (memory.plans[resolution].actions.defined()) {
        checkpoint.tensors[PlanName(number, resolution)] = memory.plans[resolution].actions;
      }
    }
    checkpoint.tensors[kRewards + number] = RewardsOf(memory.plans);
    checkpoint.tensors[kEntropy + number] = WeightsOf(memory.entropy);
  }
  checkpoint.tensors[kNumProblems] = torch::tensor({static_cast<std::int64_t>(i)}, torch::kLong);
}

void ProblemMemories::TakeFrom(Checkpoint& checkpoint, const std::filesystem::path& path) {
  const std::int64_t num_problems = WholeNumberOf(checkpoint, kNumProblems, path);
  checkpoint.tensors.erase(kNumProblems);
  Diagnostics diagnostics;
  for (std::int64_t i = 0; i < num_problems; ++i) {
    const std::string number = std::to_string(i);
    const auto name = checkpoint.record.extract(kName + number);
    const auto rewards = checkpoint.tensors.extract(kRewards + number);
    const auto entropy = checkpoint.tensors.extract(kEntropy + number);
    std::optional<std::vector<RowPlan>> plans;
    if (!name.empty() && !rewards.empty() && !entropy.empty() && IsValues(rewards.mapped()) &&
        IsValues(entropy.mapped())) {
      plans = TakePlans(checkpoint, number, ValuesOf(rewards.mapped()));
    }
    if (!plans.has_value()) {
      diagnostics.AddError(
          path.string() + ": tensor " + kRewards + number,
          "missing, expected the rewards of a problem's resolutions with a plan int64 of tasks "
          "and rows for each, the weights of entropies and the name of the problem");
      continue;
    }
    ProblemMemory& memory = Of(name.mapped());
    memory.plans = std::move(*plans);
    std::vector<double> weights = ValuesOf(entropy.mapped());
    weights.pop_back();
    memory.entropy.set_weights(weights);
  }
  diagnostics.ThrowIfAny();
}

bool Fits(const std::vector<RowPlan>& plans, const View& view) {
  for (std::size_t resolution = 0; resolution < plans.size(); ++resolution) {
    const torch::Tensor& actions = plans[resolution].actions;
    if (resolution == view.resolutions.size() ||
        (actions.defined() && !Fits(actions, view, resolution))) {
      return false;
    }
  }
  return true;
}

}  // namespace opyard::agents::go
