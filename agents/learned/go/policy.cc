#include "agents/learned/go/policy.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "agents/learned/common/precision_scope.h"
#include "agents/learned/common/recomputed.h"
#include "agents/learned/common/reinforce.h"
#include "agents/learned/go/row_order.h"
#include "sim/base/check.h"

namespace opyard::agents {

namespace nn = torch::nn;

namespace {

constexpr std::int64_t kSlots = 32;
constexpr std::int64_t kAll = std::int64_t{1} << 32;  // plans

PrecisionScope ScopeOf(const GoScene& scene) {
  return PrecisionScope(scene.precision, scene.graph->x.device().type());
}

// Of the tasks with levels.
std::size_t LevelIndex(GoTask task) {
  OPYARD_CHECK(task != GoTask::kPlacement, "a placement has no levels");
  return task == GoTask::kScheduling ? 0 : 1;
}

// Of actions int64 [K, R] under log-probabilities [K or 1, R, choices]: [K, R].
torch::Tensor Chosen(const torch::Tensor& log_probs, const torch::Tensor& actions) {
  return log_probs.expand({actions.size(0), -1, -1}).gather(2, actions.unsqueeze(2)).squeeze(2);
}

// Plans that are judged at once: no layer of them has more than `most_values`, if there are two.
// The first task is computed once for all plans.
std::int64_t PlansAtOnce(const GoScene& scene, const GoSizes& sizes, std::int64_t most_values) {
  const std::int64_t values = scene.rows->mask.size(0) * (std::ssize(scene.tasks) - 1) *
                              (sizes.hidden + sizes.feed_forward);
  return values == 0 ? kAll : std::max<std::int64_t>(most_values / values, 1);
}

}  // namespace

GoPolicy::GoPolicy(const GoSizes& sizes, Rng& rng)
    : sizes_(sizes),
      encoder_(
          std::make_shared<GraphEncoder>(GraphEncoder::Sizes{.type_embedding = sizes.type_embedding,
                                                             .hidden = sizes.hidden,
                                                             .layers = sizes.graph_layers})),
      row_(sizes.hidden + kRowWidth, sizes.hidden),
      task_(kNumGoTasks, sizes.hidden),
      device_(static_cast<std::int64_t>(env::kNumDeviceFeatures), sizes.hidden),
      slot_(kSlots, sizes.hidden),
      pair_(2 * static_cast<std::int64_t>(env::kNumPairFeatures), sizes.hidden),
      query_(sizes.hidden, sizes.hidden) {
  const SegmentAttention::Sizes attention{.hidden = sizes.hidden,
                                          .heads = sizes.heads,
                                          .feed_forward = sizes.feed_forward,
                                          .segment = sizes.segment};
  for (std::int64_t i = 0; i <= sizes.attention_layers; ++i) {
    modulation_.emplace_back(sizes.hidden, sizes.hidden);
    attention_.push_back(std::make_shared<SegmentAttention>(attention));
  }
  for (std::int64_t i = 0; i < sizes.row_layers; ++i) {
    row_layers_.push_back(std::make_shared<SageLayer>(sizes.hidden));
  }
  for (const GoTask task : {GoTask::kScheduling, GoTask::kFusion}) {
    level_.emplace_back(sizes.hidden, Orders(task) ? 1 : sizes.levels);
    told_.emplace_back(sizes.levels, sizes.hidden);
  }
  if (sizes.refinement > 1) {
    refine_ = nn::Linear(sizes.hidden, sizes.hidden);
  }
  RegisterAll();
  InitialiseWeights(*this, rng);
  BeginEven();
}

void GoPolicy::BeginEven() {
  const torch::NoGradGuard no_grad;
  query_->weight.mul_(0.1);
  if (sizes_.levels > 1 && sizes_.level_prior > 0.0) {
    const double odds = sizes_.level_prior / (1.0 - sizes_.level_prior);
    for (torch::nn::Linear& level : level_) {
      level->weight.mul_(0.1);
      if (level->bias.size(0) == sizes_.levels) {
        level->bias[sizes_.levels / 2] = std::log(odds * static_cast<double>(sizes_.levels - 1));
      }
    }
  }
}

void GoPolicy::RegisterAll() {
  register_module("encoder", encoder_);
  register_module("row", row_);
  for (std::size_t i = 0; i < row_layers_.size(); ++i) {
    register_module("row_layer" + std::to_string(i), row_layers_[i]);
  }
  for (std::size_t i = 0; i < attention_.size(); ++i) {
    register_module("modulation" + std::to_string(i), modulation_[i]);
    register_module("attention" + std::to_string(i), attention_[i]);
  }
  register_module("task", task_);
  register_module("device", device_);
  register_module("slot", slot_);
  register_module("pair", pair_);
  register_module("query", query_);
  for (std::size_t i = 0; i < level_.size(); ++i) {
    register_module("level" + std::to_string(i), level_[i]);
    register_module("told" + std::to_string(i), told_[i]);
  }
  if (sizes_.refinement > 1) {
    register_module("refine", refine_);
  }
}

torch::Tensor GoPolicy::Modulated(std::size_t layer,
                                  const torch::Tensor& rows,
                                  const torch::Tensor& graph_vector) {
  if (!sizes_.modulation) {
    return rows;
  }
  return rows * 2.0 * torch::sigmoid(modulation_[layer](graph_vector));
}

EncodedScene GoPolicy::Encode(const GoScene& scene) {
  const PrecisionScope scope = ScopeOf(scene);
  const torch::Tensor ops = encoder_->Forward(*scene.graph);  // [N, hidden]
  const SparseEdges& of_rows = scene.rows->ops;
  const torch::Tensor means =  // [R, hidden]
      Scatter(Gather(ops.unsqueeze(0), of_rows), of_rows, Aggregation::kMean).squeeze(0);
  torch::Tensor rows =  // [R, hidden]
      torch::relu(row_(torch::cat({means, scene.rows->x}, 1))).to(torch::kFloat);
  for (const std::shared_ptr<SageLayer>& layer : row_layers_) {
    rows = layer->Forward(rows, scene.rows->links);
  }
  const torch::Tensor graph_vector = ops.mean(0);  // [hidden]
  for (std::size_t i = 0; i + 1 < attention_.size(); ++i) {
    rows = Modulated(i, rows, graph_vector);
    if (sizes_.attention) {
      rows = attention_[i]->Forward(rows.unsqueeze(0)).squeeze(0);
    }
  }
  EncodedScene encoded{.rows = Modulated(attention_.size() - 1, rows, graph_vector),
                       .devices = DeviceVectors(scene)};
  encoded.rows = Refined(scene, encoded);
  return encoded;
}

torch::Tensor GoPolicy::Refined(const GoScene& scene, const EncodedScene& encoded) {
  torch::Tensor rows = encoded.rows;
  for (std::int64_t pass = 1; pass < sizes_.refinement; ++pass) {
    torch::Tensor told = torch::zeros_like(rows);
    for (const GoTask task : scene.tasks) {
      const torch::Tensor outputs =  // [1, R, choices]
          Outputs(scene, task, encoded.devices, (rows + told).unsqueeze(0));
      told = told + MeanTold(encoded, task, outputs[0]);
    }
    rows = encoded.rows + refine_(told);
  }
  return rows;
}

torch::Tensor GoPolicy::DeviceVectors(const GoScene& scene) {
  if (scene.tasks.front() != GoTask::kPlacement) {
    return {};
  }
  const DeviceFeatures& devices = *scene.devices;
  const torch::Tensor pairs =  // [D, D, both ways]
      torch::cat({devices.pair, devices.pair.transpose(0, 1)}, 2);
  return torch::layer_norm(device_(devices.x) + slot_(devices.slot.remainder(kSlots)) +
                               torch::relu(pair_(pairs)).mean(1),
                           {sizes_.hidden});
}

bool GoPolicy::Orders(GoTask task) const {
  return task == GoTask::kScheduling && sizes_.priority_head == GoPriorityHead::kGumbel;
}

torch::Tensor GoPolicy::ToldBy(const EncodedScene& encoded, GoTask task) {
  return task == GoTask::kPlacement ? encoded.devices : told_[LevelIndex(task)]->weight;
}

torch::Tensor GoPolicy::Told(const EncodedScene& encoded,
                             GoTask task,
                             const torch::Tensor& actions) {
  const torch::Tensor told = Orders(task) ? LevelsOfPlaces(actions, sizes_.levels) : actions;
  return ToldBy(encoded, task)
      .index_select(0, told.flatten())
      .view({actions.size(0), actions.size(1), sizes_.hidden});
}

torch::Tensor GoPolicy::MeanTold(const EncodedScene& encoded,
                                 GoTask task,
                                 const torch::Tensor& outputs) {
  if (Orders(task)) {
    return Told(encoded, task, Best(task, outputs.unsqueeze(0)))[0];
  }
  return outputs.exp().detach().matmul(ToldBy(encoded, task));
}

torch::Tensor GoPolicy::Outputs(const GoScene& scene,
                                GoTask task,
                                const torch::Tensor& devices,
                                const torch::Tensor& state) {
  torch::Tensor rows =
      torch::layer_norm(state + task_->weight[static_cast<std::int64_t>(task)], {sizes_.hidden});
  if (sizes_.attention) {
    rows = attention_.back()->Forward(rows);
  }
  torch::Tensor logits = task == GoTask::kPlacement  // [K, R, choices]
                             ? DeviceLogits(devices, rows)
                             : level_[LevelIndex(task)](rows);
  logits = logits.to(torch::kFloat);
  if (scene.tables != nullptr) {
    logits = logits + scene.tables->Of(task, scene.rows->groups);
  }
  if (Orders(task)) {
    return scene.rule_scores.defined() ? logits + scene.rule_scores.unsqueeze(1) : logits;
  }
  return task == GoTask::kPlacement ? MaskedLogProbs(logits, scene.rows->mask)
                                    : torch::log_softmax(logits, -1);
}

torch::Tensor GoPolicy::DeviceLogits(const torch::Tensor& devices, const torch::Tensor& rows) {
  return query_(rows).matmul(devices.t()) / std::sqrt(static_cast<double>(sizes_.hidden));
}

torch::Tensor GoPolicy::FirstOutputs(const GoScene& scene, const EncodedScene& encoded) {
  return Outputs(scene, scene.tasks.front(), encoded.devices, encoded.rows.unsqueeze(0)).squeeze(0);
}

torch::Tensor GoPolicy::Draw(GoTask task,
                             const torch::Tensor& outputs,
                             std::int64_t num_samples,
                             Rng& rng) const {
  if (Orders(task)) {
    return DrawOrders(outputs.squeeze(2), num_samples, rng);
  }
  if (outputs.size(0) == 1) {
    return SampleChoices(outputs[0], num_samples, rng);
  }
  return SampleChoices(outputs.flatten(0, 1), rng).view({num_samples, outputs.size(1)});
}

torch::Tensor GoPolicy::Best(GoTask task, const torch::Tensor& outputs) const {
  return Orders(task) ? LikeliestOrders(outputs.squeeze(2)) : outputs.argmax(-1);
}

torch::Tensor GoPolicy::JudgeTask(GoTask task,
                                  const torch::Tensor& outputs,
                                  const torch::Tensor& actions) const {
  if (Orders(task)) {
    const JudgedOrders judged = JudgeOrders(outputs.squeeze(2), actions);
    return torch::cat({judged.log_probs, judged.entropy.mean(1, true)}, 1);
  }
  const torch::Tensor entropy = Entropy(outputs).mean(1, true);  // [K or 1, 1]
  return torch::cat({Chosen(outputs, actions), entropy.expand({actions.size(0), 1})}, 1);
}

torch::Tensor GoPolicy::HasChoiceIn(GoTask task, const DecisionRows& rows) const {
  if (task == GoTask::kPlacement) {
    return HasChoice(rows.mask);
  }
  torch::Tensor has_choice = torch::ones_like(rows.mask.select(1, 0));
  if (Orders(task)) {
    has_choice[-1] = false;
  }
  return has_choice;
}

template <class Choose>
void GoPolicy::ForEachTask(const GoScene& scene,
                           const EncodedScene& encoded,
                           const torch::Tensor& first,
                           const Choose& choose) {
  torch::Tensor outputs = first.unsqueeze(0);
  torch::Tensor state = encoded.rows.unsqueeze(0);  // [1, R, hidden], with the first told [K, …]
  for (std::size_t i = 0; i < scene.tasks.size(); ++i) {
    const torch::Tensor actions = choose(outputs, i);
    if (i + 1 < scene.tasks.size()) {
      state = state + Told(encoded, scene.tasks[i], actions);
      outputs = Outputs(scene, scene.tasks[i + 1], encoded.devices, state);
    }
  }
}

SampledActions GoPolicy::Sample(const GoScene& scene,
                                const EncodedScene& encoded,
                                std::int64_t num_samples,
                                Rng& rng) {
  const PrecisionScope scope = ScopeOf(scene);
  const torch::NoGradGuard no_grad;
  std::vector<torch::Tensor> actions;     // [K, R] each
  std::vector<torch::Tensor> log_probs;   // [K, R] each
  std::vector<torch::Tensor> has_choice;  // [K, R] each
  ForEachTask(
      scene,
      encoded,
      FirstOutputs(scene, encoded),
      [&](const torch::Tensor& outputs, std::size_t i) {
        const GoTask task = scene.tasks[i];
        actions.push_back(Draw(task, outputs, num_samples, rng));
        log_probs.push_back(JudgeTask(task, outputs, actions.back()).slice(1, 0, outputs.size(1)));
        has_choice.push_back(HasChoiceIn(task, *scene.rows).expand({num_samples, -1}));
        return actions.back();
      });
  return {.actions = torch::stack(actions, 1),
          .decisions = {.log_probs = torch::cat(log_probs, 1),
                        .has_choice = torch::cat(has_choice, 1)}};
}

torch::Tensor GoPolicy::Likeliest(const GoScene& scene, const EncodedScene& encoded) {
  const PrecisionScope scope = ScopeOf(scene);
  const torch::NoGradGuard no_grad;
  std::vector<torch::Tensor> actions;  // [1, R] each
  ForEachTask(scene,
              encoded,
              FirstOutputs(scene, encoded),
              [&](const torch::Tensor& outputs, std::size_t i) {
                actions.push_back(Best(scene.tasks[i], outputs));
                return actions.back();
              });
  return torch::stack(actions, 1);
}

torch::Tensor GoPolicy::DeviceProbabilities(const GoScene& scene, const EncodedScene& encoded) {
  const PrecisionScope scope = ScopeOf(scene);
  const torch::NoGradGuard no_grad;
  OPYARD_CHECK(scene.tasks.front() == GoTask::kPlacement, "devices are chosen");
  return FirstOutputs(scene, encoded).exp();
}

JudgedActions GoPolicy::Judge(const GoScene& scene,
                              const EncodedScene& encoded,
                              const torch::Tensor& actions,
                              std::int64_t most_values) {
  const PrecisionScope scope = ScopeOf(scene);
  const torch::Tensor first = FirstOutputs(scene, encoded);
  const std::int64_t at_once = PlansAtOnce(scene, sizes_, most_values);
  const std::int64_t num_chunks = (actions.size(0) + at_once - 1) / at_once;
  // The vectors of the devices are of the weights alone, so that a chunk may make them anew.
  const auto judge = [this, scene, actions, at_once](const torch::Tensor& rows, std::int64_t i) {
    return JudgeAtOnce(scene,
                       {.rows = rows.slice(1, 0, sizes_.hidden), .devices = DeviceVectors(scene)},
                       rows.slice(1, sizes_.hidden),
                       actions.slice(0, i * at_once, (i + 1) * at_once));
  };
  const torch::Tensor figures =  // [K, T · R + T]
      num_chunks == 1 ? JudgeAtOnce(scene, encoded, first, actions)
                      : Recomputed(torch::cat({encoded.rows, first}, 1), num_chunks, judge);
  const std::int64_t num_decisions = actions.size(1) * actions.size(2);
  const torch::Tensor decisions = figures.slice(1, 0, num_decisions);
  return {.log_probs = decisions.sum(1),
          .decision_log_probs = decisions,
          .entropy = figures.slice(1, num_decisions).mean(0)};
}

torch::Tensor GoPolicy::JudgeAtOnce(const GoScene& scene,
                                    const EncodedScene& encoded,
                                    const torch::Tensor& first,
                                    const torch::Tensor& actions) {
  const PrecisionScope scope = ScopeOf(scene);
  std::vector<torch::Tensor> figures;  // [K, R] each
  std::vector<torch::Tensor> entropy;  // [K, 1] each
  ForEachTask(scene, encoded, first, [&](const torch::Tensor& outputs, std::size_t i) {
    const torch::Tensor chosen = actions.select(1, static_cast<std::int64_t>(i));
    const torch::Tensor judged = JudgeTask(scene.tasks[i], outputs, chosen);  // [K, R + 1]
    figures.push_back(judged.slice(1, 0, -1));
    entropy.push_back(judged.slice(1, -1));
    return chosen;
  });
  figures.insert(figures.end(), entropy.begin(), entropy.end());
  return torch::cat(figures, 1);
}

}  // namespace opyard::agents
