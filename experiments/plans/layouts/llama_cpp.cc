#include "experiments/plans/layouts/llama_cpp.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>

#include "experiments/plans/layouts/device_names.h"
#include "experiments/plans/layouts/order_limits.h"
#include "experiments/plans/layouts/stages.h"

namespace opyard::experiments {
namespace {

constexpr const char* kLlamaCpp = "llama.cpp";
constexpr const char* kLlamaDevice = "CUDA";

// The arguments for the stages of a plan, of which one may be on the CPU.
class LlamaArguments {
 public:
  LlamaArguments(const LayoutInput& input, const Stages& stages)
      : input_(input), stages_(stages), counts_(stages.stages.size()) {
    for (std::size_t s = 0; s < stages.stages.size(); ++s) {
      AddStage(s);
    }
  }

  [[nodiscard]] std::string Text() const {
    std::vector<std::string> names;
    std::vector<std::string> split;
    for (std::size_t s = 0; s < counts_.size(); ++s) {
      if (!IsOnCpu(s)) {
        names.push_back(NameOf(s));
        split.push_back(std::to_string(counts_[s]));
      }
    }
    if (names.empty()) {
      return "--n-gpu-layers 0\n";
    }
    std::string text = "--n-gpu-layers " + std::to_string(stages_.units.num_blocks() + 1) +
                       "\n--device " + Joined(names, ",") +
                       "\n--split-mode layer\n--tensor-split " + Joined(split, ",") + "\n";
    return overrides_.empty() ? text
                              : text + "--override-tensor \"" + Joined(overrides_, ",") + "\"\n";
  }

  [[nodiscard]] bool has_blocks_on_cpu() const { return has_blocks_on_cpu_; }

 private:
  void AddStage(std::size_t s) {
    const NetworkUnits& units = stages_.units;
    const UnitRange& range = stages_.stages[s].units;
    const std::size_t first = std::max(range.first, units.first_block);
    const std::size_t end = std::min(range.end, units.end_block);
    const bool has_output = s + 1 == stages_.stages.size();
    counts_[SplitOf(s)] += (end > first ? end - first : 0) + (has_output ? 1 : 0);
    if (IsOnCpu(s) && end > first) {
      has_blocks_on_cpu_ = true;
      overrides_.push_back(BlockPattern(first - units.first_block, end - units.first_block));
    }
    if (IsOnCpu(s) && has_output && range.end > units.end_block) {
      overrides_.emplace_back("^output=CPU");
    }
    if (!IsOnCpu(s) && range.first < units.first_block) {
      overrides_.push_back("token_embd=" + NameOf(s));
    }
  }

  // The stage whose GPU counts the layers of stage `s`: those on the CPU are layers of the GPU
  // before them, or else of the one behind, of which their weights are taken away.
  [[nodiscard]] std::size_t SplitOf(std::size_t s) const {
    if (!IsOnCpu(s)) {
      return s;
    }
    return s > 0 ? s - 1 : std::min(s + 1, counts_.size() - 1);
  }

  [[nodiscard]] static std::string BlockPattern(std::size_t first, std::size_t end) {
    std::vector<std::string> numbers;
    for (std::size_t i = first; i < end; ++i) {
      numbers.push_back(std::to_string(i));
    }
    return R"(^blk\.()" + Joined(numbers, "|") + R"()\.=CPU)";
  }

  [[nodiscard]] bool IsOnCpu(std::size_t s) const {
    return IsCpu(input_.problem.hardware(), stages_.stages[s].device);
  }
  [[nodiscard]] std::string NameOf(std::size_t s) const {
    return FrameworkName(input_, stages_.stages[s].device, kLlamaDevice);
  }

  const LayoutInput& input_;
  const Stages& stages_;
  std::vector<std::size_t> counts_;  // [num_stages]: layers, the output being one
  std::vector<std::string> overrides_;
  bool has_blocks_on_cpu_ = false;
};

}  // namespace

Layout WriteLlamaCpp(const LayoutInput& input, std::vector<Inexpressible>& reasons) {
  AddInferenceLimit(input, kLlamaCpp, reasons);
  AddEagerLimits(input, kLlamaCpp, reasons);
  std::vector<Inexpressible> of_stages;
  const auto stages = FindStages(input, StageForm::kLayers, kLlamaCpp, of_stages);
  reasons.insert(reasons.end(), of_stages.begin(), of_stages.end());
  if (!stages.has_value()) {
    return {};
  }
  if (of_stages.empty() && stages->stages.size() != stages->ranks.size()) {
    reasons.push_back({.what = "stages",
                       .why = "devices take turns; llama.cpp gives each device one run of layers"});
  }
  const LlamaArguments arguments(input, *stages);
  Layout layout{.files = {{"llama-arguments.txt", arguments.Text()}}, .notes = {}};
  if (arguments.has_blocks_on_cpu()) {
    layout.notes.emplace_back(
        "--override-tensor moves weights and the products with them to the CPU; attention over the "
        "cache stays on the GPU of the layer");
  }
  return layout;
}

sim::OpPlacement RoundForLlamaCpp(const LayoutInput& input) {
  return RoundToStages(input, StageForm::kRanks);
}

}  // namespace opyard::experiments
