#include "experiments/plans/layouts/megatron.h"

#include <cstddef>
#include <optional>
#include <string>
#include <utility>

#include "experiments/plans/layouts/device_names.h"
#include "experiments/plans/layouts/order_limits.h"
#include "experiments/plans/layouts/stages.h"
#include "sim/base/array_index.h"

namespace opyard::experiments {
namespace {

constexpr const char* kMegatron = "megatron";

// "ttt" as "t*3", from three on.
std::string Shortened(const std::string& letters) {
  constexpr std::size_t kLeast = 3;
  std::string text;
  for (std::size_t i = 0; i < letters.size();) {
    const std::size_t end = std::min(letters.find_first_not_of(letters[i], i), letters.size());
    const std::size_t count = end - i;
    text += count < kLeast ? letters.substr(i, count)
                           : std::string(1, letters[i]) + "*" + std::to_string(count);
    i = end;
  }
  return text;
}

std::string LettersOf(const LayoutInput& input, const Stages& stages, const Stage& stage) {
  const NetworkUnits& units = stages.units;
  std::string letters;
  for (std::size_t u = stage.units.first; u < stage.units.end; ++u) {
    const bool is_block = u >= units.first_block && u < units.end_block;
    const bool is_mtp = IsTokenPrediction(input.tree, units.modules[u]);
    const char letter = is_block ? 't' : is_mtp ? 'm' : u < units.first_block ? 'E' : 'L';
    if (is_block || is_mtp || !letters.ends_with(letter)) {
      letters += letter;
    }
  }
  return letters;
}

std::string LayoutText(const LayoutInput& input, const Stages& stages) {
  std::vector<std::string> texts;
  for (const Stage& stage : stages.stages) {
    texts.push_back(LettersOf(input, stages, stage));
  }
  if (!texts.front().starts_with('E')) {
    texts.front().insert(0, 1, 'E');
  }
  if (!texts.back().ends_with('L')) {
    texts.back() += 'L';
  }
  for (std::string& text : texts) {
    text = Shortened(text);
  }
  return Joined(texts, "|");
}

std::optional<Stages> MegatronStages(const LayoutInput& input,
                                     std::vector<Inexpressible>& reasons) {
  std::vector<Inexpressible> of_stages;
  auto stages = FindStages(input, StageForm::kLayers, kMegatron, of_stages);
  reasons.insert(reasons.end(), of_stages.begin(), of_stages.end());
  return of_stages.empty() ? std::move(stages) : std::nullopt;
}

// Megatron runs 1F1B, whatever the plan has.
ScheduledStep ScheduleForMegatron(const LayoutInput& input,
                                  const Stages& stages,
                                  std::vector<Inexpressible>& reasons) {
  LayoutOptions options = input.options;
  const bool has_several = options.microbatches > 1 || CountMicrobatches(input.problem.graph()) > 1;
  options.schedule = has_several ? StageSchedule::kOneForwardOneBackward : StageSchedule::kOfPlan;
  return ScheduleStages({.problem = input.problem,
                         .tree = input.tree,
                         .roles = input.roles,
                         .plan = input.plan,
                         .run = input.run,
                         .options = options},
                        stages,
                        reasons);
}

// A reason where the plan runs its micro-batches in another order than 1F1B.
void AddScheduleLimit(const LayoutInput& input,
                      const Stages& stages,
                      std::vector<Inexpressible>& reasons) {
  if (CountMicrobatches(input.problem.graph()) == 1) {
    return;
  }
  const ScheduledStep own = ScheduleStages(input, stages, reasons);
  if (reasons.empty() && own.schedule != ScheduleForMegatron(input, stages, reasons).schedule) {
    reasons.push_back({.what = "order of micro-batches",
                       .why = "the plan has another one than 1F1B, which megatron runs"});
  }
}

}  // namespace

Layout WriteMegatron(const LayoutInput& input, std::vector<Inexpressible>& reasons) {
  AddFusionLimit(input, kMegatron, reasons);
  AddTransferLimit(input, kMegatron, reasons);
  if (CountMicrobatches(input.problem.graph()) == 1 && input.options.microbatches == 1) {
    AddProgramLimit(input, kMegatron, reasons);
  }
  if (input.options.schedule == StageSchedule::kGPipe) {
    reasons.push_back({.what = "schedule gpipe", .why = "megatron runs 1F1B"});
  }
  const std::optional<Stages> stages = MegatronStages(input, reasons);
  if (!stages.has_value()) {
    return {};
  }
  if (reasons.empty() && input.options.schedule == StageSchedule::kOfPlan) {
    AddScheduleLimit(input, *stages, reasons);
  }
  const std::string visible = VisibleDevices(input, stages->ranks);
  Layout layout{
      .files = {{"megatron-arguments.txt",
                 "--pipeline-model-parallel-size " + std::to_string(stages->ranks.size()) +
                     "\n--pipeline-model-parallel-layout \"" + LayoutText(input, *stages) +
                     "\"\n"}},
      .notes = {}};
  if (!visible.empty()) {
    layout.notes.push_back("ranks in the order of the plan's devices: " + visible);
  }
  return layout;
}

sim::OpPlacement RoundForMegatron(const LayoutInput& input) {
  return RoundToStages(input, StageForm::kLayers);
}

ScheduledStep RunMegatron(const LayoutInput& input, std::vector<Inexpressible>& reasons) {
  const std::optional<Stages> stages = MegatronStages(input, reasons);
  return stages.has_value() ? ScheduleForMegatron(input, *stages, reasons) : ScheduledStep{};
}

}  // namespace opyard::experiments
