#include "agents/learned/go/problem_memories.h"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "sim/base/error.h"

namespace opyard::agents {
namespace {

constexpr const char* kPlans = "elites.plans.";
constexpr const char* kRewards = "elites.rewards.";
constexpr const char* kEntropy = "elites.entropy.";
constexpr const char* kName = "elites.problem.";
constexpr const char* kNumProblems = "elites.problems";

// No tensor is empty: the last number means nothing.
torch::Tensor WeightsOf(const EntropyControl& entropy) {
  std::vector<double> weights = entropy.weights();
  weights.push_back(0.0);
  return torch::tensor(weights, torch::kDouble);
}

std::vector<double> WeightsFrom(const torch::Tensor& tensor) {
  const auto* const first = tensor.const_data_ptr<double>();
  return {first, first + tensor.numel() - 1};
}

bool IsElites(const torch::Tensor& plans, const torch::Tensor& rewards) {
  return plans.scalar_type() == torch::kLong && plans.dim() == 3 &&
         rewards.scalar_type() == torch::kDouble && rewards.dim() == 1 &&
         plans.size(0) == rewards.size(0);
}

bool IsWeights(const torch::Tensor& entropy) {
  return entropy.scalar_type() == torch::kDouble && entropy.dim() == 1 && entropy.numel() > 0;
}

}  // namespace

GoMemory& ProblemMemories::Of(const std::string& problem) {
  return memories_.try_emplace(problem, options_).first->second;
}

void ProblemMemories::AddTo(Checkpoint& checkpoint) const {
  std::size_t i = 0;
  for (const auto& [name, memory] : memories_) {
    if (memory.elites.empty()) {
      continue;
    }
    const std::string number = std::to_string(i++);
    checkpoint.record[kName + number] = name;
    checkpoint.tensors[kPlans + number] = memory.elites.plans();
    checkpoint.tensors[kRewards + number] = torch::tensor(memory.elites.rewards(), torch::kDouble);
    checkpoint.tensors[kEntropy + number] = WeightsOf(memory.entropy);
  }
  checkpoint.tensors[kNumProblems] = torch::tensor({static_cast<std::int64_t>(i)}, torch::kLong);
}

void ProblemMemories::TakeFrom(Checkpoint& checkpoint, const std::filesystem::path& path) {
  const std::int64_t num_problems = WholeNumberOf(checkpoint, kNumProblems, path);
  checkpoint.tensors.erase(kNumProblems);
  ProblemList problems;
  for (std::int64_t i = 0; i < num_problems; ++i) {
    const std::string number = std::to_string(i);
    const auto name = checkpoint.record.extract(kName + number);
    const auto plans = checkpoint.tensors.extract(kPlans + number);
    const auto rewards = checkpoint.tensors.extract(kRewards + number);
    const auto entropy = checkpoint.tensors.extract(kEntropy + number);
    if (name.empty() || plans.empty() || rewards.empty() || entropy.empty() ||
        !IsElites(plans.mapped(), rewards.mapped()) || !IsWeights(entropy.mapped())) {
      problems.Add(path.string() + ": tensor " + kPlans + number,
                   "missing, expected int64 of plans, tasks and groups, with as many rewards, the "
                   "weights of entropies and the name of their problem");
      continue;
    }
    const auto* const first = rewards.mapped().const_data_ptr<double>();
    GoMemory& memory = Of(name.mapped());
    memory.elites.Add(plans.mapped(), {first, first + rewards.mapped().numel()});
    memory.entropy.set_weights(WeightsFrom(entropy.mapped()));
  }
  problems.ThrowIfAny();
}

bool Fits(const Elites& elites, const GoView& view, std::int64_t num_levels) {
  if (elites.empty()) {
    return true;
  }
  const torch::Tensor plans = elites.plans();  // [E, T, G]
  if (plans.size(1) != std::ssize(view.tasks) || plans.size(2) != view.num_groups()) {
    return false;
  }
  for (std::size_t i = 0; i < view.tasks.size(); ++i) {
    const torch::Tensor actions = plans.select(1, static_cast<std::int64_t>(i));
    const bool is_order =
        view.tasks[i] == GoTask::kScheduling && view.head == GoPriorityHead::kGumbel;
    const std::int64_t num_choices = view.tasks[i] == GoTask::kPlacement ? view.devices.x.size(0)
                                     : is_order                          ? view.num_groups()
                                                                         : num_levels;
    if (actions.min().item<std::int64_t>() < 0 ||
        actions.max().item<std::int64_t>() >= num_choices) {
      return false;
    }
  }
  return true;
}

}  // namespace opyard::agents
