#include "agents/learned/common/problem_baselines.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace opyard::agents {
namespace {

constexpr const char* kValues = "baselines";
constexpr const char* kName = "baseline.";

}  // namespace

RewardBaseline& ProblemBaselines::Of(const std::string& problem) {
  return baselines_.try_emplace(problem, decay_).first->second;
}

void ProblemBaselines::AddTo(Checkpoint& checkpoint) const {
  std::vector<double> values;
  for (const auto& [name, baseline] : baselines_) {
    if (baseline.value().has_value()) {
      checkpoint.record[kName + std::to_string(values.size())] = name;
      values.push_back(*baseline.value());
    }
  }
  values.push_back(0.0);  // no tensor is empty
  checkpoint.tensors[kValues] = torch::tensor(values, torch::kDouble);
}

void ProblemBaselines::TakeFrom(Checkpoint& checkpoint) {
  const auto found = checkpoint.tensors.extract(kValues);
  if (found.empty() || found.mapped().scalar_type() != torch::kDouble ||
      found.mapped().dim() != 1) {
    return;
  }
  const torch::Tensor& values = found.mapped();
  for (std::int64_t i = 0; i + 1 < values.numel(); ++i) {
    const auto name = checkpoint.record.extract(kName + std::to_string(i));
    if (!name.empty()) {
      Of(name.mapped()).set_value(values[i].item<double>());
    }
  }
}

}  // namespace opyard::agents
