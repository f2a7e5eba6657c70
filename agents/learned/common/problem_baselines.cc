#include "agents/learned/common/problem_baselines.h"

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sim/base/error.h"

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

void ProblemBaselines::TakeFrom(Checkpoint& checkpoint, const std::filesystem::path& path) {
  const auto found = checkpoint.tensors.extract(kValues);
  if (found.empty() || found.mapped().scalar_type() != torch::kDouble ||
      found.mapped().dim() != 1) {
    throw InputError(path.string() + ": tensor " + kValues +
                     ": missing, expected float64 of one number more than there are problems");
  }
  Diagnostics diagnostics;
  const torch::Tensor& values = found.mapped();
  for (std::int64_t i = 0; i + 1 < values.numel(); ++i) {
    const std::string key = kName + std::to_string(i);
    const auto name = checkpoint.record.extract(key);
    if (name.empty()) {
      diagnostics.AddError(path.string() + ": record " + key,
                           "missing, expected the name of a problem");
      continue;
    }
    Of(name.mapped()).set_value(values[i].item<double>());
  }
  diagnostics.ThrowIfAny();
}

}  // namespace opyard::agents
