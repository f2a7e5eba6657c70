// Sampling, choice and evaluation of actions by GO's policy, stage after stage; policy.cc has its
// layers.
#include <algorithm>

#include "agents/learned/common/recomputed.h"
#include "agents/learned/common/reinforce.h"
#include "agents/learned/go/policy.h"
#include "agents/learned/go/row_order.h"
#include "sim/base/check.h"

namespace opyard::agents::go {
namespace {

constexpr std::int64_t kAllPlans = std::int64_t{1} << 32;  // plans

// The log-probabilities of actions int64 [K, R] under `log_probs` [K or 1, R, choices]: [K, R].
torch::Tensor Chosen(const torch::Tensor& log_probs, const torch::Tensor& actions) {
  return log_probs.expand({actions.size(0), -1, -1}).gather(2, actions.unsqueeze(2)).squeeze(2);
}

// Plans that are evaluated at once: no layer of them has more than `most_values`, if there are two.
// The first stage is computed once for all plans, but for what rows know of those before.
std::int64_t PlansAtOnce(const PolicyInput& input, const Sizes& sizes, std::int64_t most_values) {
  const bool is_autoregressive = input.rows->mask.size(0) <= sizes.autoregressive_rows;
  const std::int64_t in_order =
      is_autoregressive ? input.rows->mask.size(1) * PlacementDecoder::kWidth : 0;
  const std::int64_t values =
      input.rows->mask.size(0) *
      ((sizes.refinement * std::ssize(input.tasks) - 1) * (sizes.hidden + sizes.feed_forward) +
       in_order);
  return values == 0 ? kAllPlans : std::max<std::int64_t>(most_values / values, 1);
}

// Plans `from` … `to` − 1 of those.
Actions Chunk(const Actions& actions, std::int64_t from, std::int64_t to) {
  const auto of = [&](const torch::Tensor& tensor) {
    return tensor.defined() ? tensor.slice(0, from, to) : tensor;
  };
  return {
      .given = of(actions.given), .targets = of(actions.targets), .allowed = of(actions.allowed)};
}

}  // namespace

torch::Tensor Policy::Sample(Task task,
                             const torch::Tensor& outputs,
                             std::int64_t num_samples,
                             Rng& rng) const {
  if (Orders(task)) {
    return SampleOrders(outputs.squeeze(2), num_samples, rng);
  }
  if (outputs.size(0) == 1) {
    return SampleChoices(outputs[0], num_samples, rng);
  }
  return SampleChoices(outputs.flatten(0, 1), rng).view({num_samples, outputs.size(1)});
}

torch::Tensor Policy::Best(Task task, const torch::Tensor& outputs) const {
  return Orders(task) ? LikeliestOrders(outputs.squeeze(2)) : outputs.argmax(-1);
}

torch::Tensor Policy::EvaluateTask(Task task,
                                   const torch::Tensor& outputs,
                                   const torch::Tensor& actions) const {
  if (Orders(task)) {
    const OrderLogProbs evaluated = EvaluateOrders(outputs.squeeze(2), actions);
    return torch::cat({evaluated.log_probs, evaluated.entropy.mean(1, true)}, 1);
  }
  const torch::Tensor entropy = Entropy(outputs).mean(1, true);  // [K or 1, 1]
  return torch::cat({Chosen(outputs, actions), entropy.expand({actions.size(0), 1})}, 1);
}

torch::Tensor Policy::HasChoiceIn(Task task, const DecisionRows& rows) const {
  if (task == Task::kPlacement) {
    return HasChoice(rows.mask);
  }
  torch::Tensor has_choice = torch::ones_like(rows.mask.select(1, 0));
  if (Orders(task)) {
    has_choice[-1] = false;
  }
  return has_choice;
}

bool Policy::IsLimited(const PolicyInput& input, std::int64_t stage) const {
  const std::int64_t first_of_plan = (sizes_.refinement - 1) * std::ssize(input.tasks);
  return input.capacity != nullptr && stage == first_of_plan &&
         input.tasks.front() == Task::kPlacement;
}

template <class Choose>
void Policy::ForEachStage(const PolicyInput& input,
                          const EncodedInput& encoded,
                          const torch::Tensor& first,
                          const Choose& choose) {
  torch::Tensor state =
      encoded.rows.unsqueeze(0);  // [1, R, hidden], with embeddings of actions [K, …]
  std::int64_t stage = 0;
  for (std::int64_t pass = 0; pass < sizes_.refinement; ++pass) {
    const torch::Tensor begun = state;
    for (std::size_t i = 0; i < input.tasks.size(); ++i, ++stage) {
      const Task task = input.tasks[i];
      const torch::Tensor rows = stage == 0 ? first.unsqueeze(0) : DecidedBy(task, state);
      const torch::Tensor actions = choose(rows, task, stage);
      const bool is_last = pass + 1 == sizes_.refinement && i + 1 == input.tasks.size();
      state = is_last ? state : state + ActionEmbedding(encoded, task, actions);
    }
    if (pass + 1 < sizes_.refinement) {
      state = encoded.rows.unsqueeze(0) + refine_(state - begun);
    }
  }
}

Actions SampledActions::Of(const torch::Tensor& samples) const {
  return {.given = actions.index_select(0, samples),
          .targets = {},
          .allowed = allowed.defined() ? allowed.index_select(0, samples) : allowed};
}

SampledActions Policy::Sample(const PolicyInput& input,
                              const EncodedInput& encoded,
                              std::int64_t num_samples,
                              Rng& rng) {
  const PrecisionScope scope = ScopeOf(input);
  const torch::NoGradGuard no_grad;
  SampledActions sampled;
  std::vector<torch::Tensor> actions;     // [K, R] each
  std::vector<torch::Tensor> log_probs;   // [K, R] each
  std::vector<torch::Tensor> has_choice;  // [K, R] each
  const auto sample = [&](const torch::Tensor& rows, Task task, std::int64_t stage) {
    const SampledStage of_stage =
        SampleStage(input, encoded, rows, {task, stage, num_samples}, rng);
    if (IsLimited(input, stage)) {
      sampled.allowed = of_stage.allowed;
    }
    actions.push_back(of_stage.actions);
    log_probs.push_back(EvaluateTask(task, of_stage.outputs, of_stage.actions)
                            .slice(1, 0, of_stage.actions.size(1)));
    has_choice.push_back(of_stage.allowed.defined()
                             ? HasChoice(of_stage.allowed)
                             : HasChoiceIn(task, *input.rows).expand({num_samples, -1}));
    return actions.back();
  };
  ForEachStage(input, encoded, FirstRows(input, encoded), sample);
  sampled.actions = torch::stack(actions, 1);
  sampled.decisions = {.log_probs = torch::cat(log_probs, 1),
                       .has_choice = torch::cat(has_choice, 1)};
  return sampled;
}

Policy::SampledStage Policy::SampleStage(const PolicyInput& input,
                                         const EncodedInput& encoded,
                                         const torch::Tensor& rows,
                                         const StageOfPlans& stage,
                                         Rng& rng) {
  const RowCapacity* const capacity = IsLimited(input, stage.number) ? input.capacity : nullptr;
  if (IsAutoregressive(input, stage.task)) {
    const OrderedPlacements placed = PlaceInOrder(
        input,
        encoded,
        rows,
        {.num_plans = stage.num_plans,
         .choose = [&](const torch::Tensor& log_probs) { return SampleChoices(log_probs, rng); },
         .temperature = input.temperature,
         .capacity = capacity,
         .is_sampled = true});
    return {.actions = placed.devices, .outputs = placed.log_probs, .allowed = placed.allowed};
  }
  const torch::Tensor at_one = Outputs(input, stage.task, encoded.devices, rows);
  const torch::Tensor outputs = Orders(stage.task) ? at_one : Sharpened(at_one, input.temperature);
  if (capacity != nullptr) {
    const PlacedRows placed = SampleWithin(*capacity, outputs, stage.num_plans, rng);
    return {.actions = placed.devices,
            .outputs = MaskedLogProbs(outputs, placed.allowed),
            .allowed = placed.allowed};
  }
  return {.actions = Sample(stage.task, outputs, stage.num_plans, rng),
          .outputs = outputs,
          .allowed = {}};
}

torch::Tensor Policy::Likeliest(const PolicyInput& input, const EncodedInput& encoded) {
  const PrecisionScope scope = ScopeOf(input);
  const torch::NoGradGuard no_grad;
  std::vector<torch::Tensor> actions;  // [1, R] each
  ForEachStage(input,
               encoded,
               FirstRows(input, encoded),
               [&](const torch::Tensor& rows, Task task, std::int64_t stage) {
                 actions.push_back(LikeliestOf(input, encoded, rows, {task, stage, 1}).actions);
                 return actions.back();
               });
  return torch::stack(actions, 1);
}

Policy::SampledStage Policy::LikeliestOf(const PolicyInput& input,
                                         const EncodedInput& encoded,
                                         const torch::Tensor& rows,
                                         const StageOfPlans& stage) {
  const RowCapacity* const capacity = IsLimited(input, stage.number) ? input.capacity : nullptr;
  if (IsAutoregressive(input, stage.task)) {
    const OrderedPlacements placed =
        PlaceInOrder(input,
                     encoded,
                     rows,
                     {.choose = [](const torch::Tensor& log_probs) { return log_probs.argmax(1); },
                      .capacity = capacity});
    return {.actions = placed.devices, .outputs = placed.log_probs, .allowed = placed.allowed};
  }
  const torch::Tensor outputs = Outputs(input, stage.task, encoded.devices, rows);
  return {.actions =
              capacity != nullptr ? LikeliestWithin(*capacity, outputs) : Best(stage.task, outputs),
          .outputs = outputs,
          .allowed = {}};
}

torch::Tensor Policy::DeviceProbabilities(const PolicyInput& input, const EncodedInput& encoded) {
  const PrecisionScope scope = ScopeOf(input);
  const torch::NoGradGuard no_grad;
  OPYARD_CHECK(input.tasks.front() == Task::kPlacement, "devices are chosen");
  PolicyInput unlimited = input;
  unlimited.capacity = nullptr;
  torch::Tensor probabilities;  // [R, D], of the last pass
  ForEachStage(
      unlimited,
      encoded,
      FirstRows(input, encoded),
      [&](const torch::Tensor& rows, Task task, std::int64_t stage) {
        const SampledStage likeliest = LikeliestOf(unlimited, encoded, rows, {task, stage, 1});
        if (task == Task::kPlacement) {
          probabilities = likeliest.outputs[0].exp();
        }
        return likeliest.actions;
      });
  return probabilities;
}

Actions Policy::Imitated(const PolicyInput& input,
                         const EncodedInput& encoded,
                         const torch::Tensor& plans,
                         Rng& rng) {
  if (sizes_.refinement == 1) {
    return {.given = plans, .targets = {}, .allowed = {}};
  }
  const std::int64_t num_drafts = (sizes_.refinement - 1) * plans.size(1);
  const torch::Tensor drafts =  // [K, S − T, R]
      Sample(input, encoded, plans.size(0), rng).actions.slice(1, 0, num_drafts);
  return {.given = torch::cat({drafts, plans}, 1),
          .targets = plans.repeat({1, sizes_.refinement, 1}),
          .allowed = {}};
}

ActionLogProbs Policy::EvaluateActions(const PolicyInput& input,
                                       const EncodedInput& encoded,
                                       const Actions& actions,
                                       std::int64_t most_values) {
  const PrecisionScope scope = ScopeOf(input);
  const torch::Tensor first = FirstRows(input, encoded);
  const std::int64_t at_once = PlansAtOnce(input, sizes_, most_values);
  const std::int64_t num_chunks = (actions.given.size(0) + at_once - 1) / at_once;
  // The vectors of the devices are of the weights alone, so that a chunk may make them anew.
  const auto evaluate = [this, input, actions, at_once, relations = encoded.relations](
                            const torch::Tensor& rows, std::int64_t i) {
    return EvaluateAtOnce(input,
                          {.rows = rows.slice(1, 0, sizes_.hidden),
                           .devices = DeviceVectors(input),
                           .relations = relations},
                          rows.slice(1, sizes_.hidden),
                          Chunk(actions, i * at_once, (i + 1) * at_once));
  };
  const torch::Tensor figures =  // [K, S · R + S]
      num_chunks == 1 ? EvaluateAtOnce(input, encoded, first, actions)
                      : Recomputed(torch::cat({encoded.rows, first}, 1), num_chunks, evaluate);
  const std::int64_t num_decisions = actions.given.size(1) * actions.given.size(2);
  const torch::Tensor decisions = figures.slice(1, 0, num_decisions);
  return {.log_probs = decisions.sum(1),
          .decision_log_probs = decisions,
          .entropy = figures.slice(1, num_decisions)
                         .mean(0)
                         .view({sizes_.refinement, std::ssize(input.tasks)})
                         .mean(0)};
}

torch::Tensor Policy::EvaluateAtOnce(const PolicyInput& input,
                                     const EncodedInput& encoded,
                                     const torch::Tensor& first,
                                     const Actions& actions) {
  const PrecisionScope scope = ScopeOf(input);
  const torch::Tensor& targets = actions.targets.defined() ? actions.targets : actions.given;
  std::vector<torch::Tensor> figures;  // [K, R] each
  std::vector<torch::Tensor> entropy;  // [K, 1] each
  const auto evaluate = [&](const torch::Tensor& rows, Task task, std::int64_t stage) {
    const torch::Tensor outputs = IsAutoregressive(input, task)
                                      ? OutputsGiven(input, encoded, rows, targets.select(1, stage))
                                      : Outputs(input, task, encoded.devices, rows);
    const bool is_within = actions.allowed.defined() && IsLimited(input, stage);
    const torch::Tensor evaluated =  // [K, R + 1]
        EvaluateTask(task,
                     is_within ? MaskedLogProbs(outputs, actions.allowed) : outputs,
                     targets.select(1, stage));
    figures.push_back(evaluated.slice(1, 0, -1));
    entropy.push_back(evaluated.slice(1, -1));
    return actions.given.select(1, stage);
  };
  ForEachStage(input, encoded, first, evaluate);
  figures.insert(figures.end(), entropy.begin(), entropy.end());
  return torch::cat(figures, 1);
}

}  // namespace opyard::agents::go
