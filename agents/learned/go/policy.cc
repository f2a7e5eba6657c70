#include "agents/learned/go/policy.h"

#include <cmath>
#include <string>

#include "agents/learned/common/reinforce.h"
#include "agents/learned/go/row_order.h"
#include "sim/base/check.h"

namespace opyard::agents::go {

namespace nn = torch::nn;

namespace {

constexpr std::int64_t kSlots = 32;

// The index of a task among those with levels.
std::size_t LevelIndex(Task task) {
  OPYARD_CHECK(task != Task::kPlacement, "a placement has no levels");
  return task == Task::kScheduling ? 0 : 1;
}

}  // namespace

PrecisionScope ScopeOf(const PolicyInput& input) {
  return PrecisionScope(input.precision, input.graph->x.device().type());
}

Policy::Policy(const Sizes& sizes, Rng& rng)
    : sizes_(sizes),
      encoder_(
          std::make_shared<GraphEncoder>(GraphEncoder::Sizes{.type_embedding = sizes.type_embedding,
                                                             .hidden = sizes.hidden,
                                                             .layers = sizes.graph_layers})),
      row_(sizes.hidden + kRowWidth, sizes.hidden),
      task_(kNumTasks, sizes.hidden),
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
  for (const Task task : {Task::kScheduling, Task::kFusion}) {
    level_.emplace_back(sizes.hidden, Orders(task) ? 1 : sizes.levels);
    action_embedding_.emplace_back(sizes.levels, sizes.hidden);
  }
  if (sizes.row_skip) {
    skip_ = nn::Linear(kRowWidth, sizes.hidden);
  }
  if (sizes.refinement > 1) {
    refine_ = nn::Linear(sizes.hidden, sizes.hidden);
  }
  if (sizes.modulation == Modulation::kLayer) {
    modulator_ = std::make_shared<SegmentAttention>(attention);
  }
  if (sizes.autoregressive_rows > 0) {
    decoder_ = std::make_shared<PlacementDecoder>(sizes.hidden, sizes.heads);
  }
  RegisterAll();
  InitialiseWeights(*this, rng);
  BeginEven();
}

void Policy::BeginEven() {
  const torch::NoGradGuard no_grad;
  query_->weight.mul_(0.5);
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

void Policy::RegisterAll() {
  register_module("encoder", encoder_);
  register_module("row", row_);
  if (sizes_.row_skip) {
    register_module("skip", skip_);
  }
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
    register_module("action_embedding" + std::to_string(i), action_embedding_[i]);
  }
  if (sizes_.refinement > 1) {
    register_module("refine", refine_);
  }
  if (modulator_ != nullptr) {
    register_module("modulator", modulator_);
  }
  if (decoder_ != nullptr) {
    register_module("decoder", decoder_);
  }
}

torch::Tensor Policy::Modulated(std::size_t layer,
                                const torch::Tensor& rows,
                                const torch::Tensor& by) {
  if (sizes_.modulation == Modulation::kNone) {
    return rows;
  }
  return rows * 2.0 * torch::sigmoid(modulation_[layer](by));
}

EncodedInput Policy::Encode(const PolicyInput& input) {
  return EncodeRows(input, EncodeOps(input));
}

torch::Tensor Policy::EncodeOps(const PolicyInput& input) {
  const PrecisionScope scope = ScopeOf(input);
  return encoder_->Forward(*input.graph);
}

EncodedInput Policy::EncodeRows(const PolicyInput& input, const torch::Tensor& ops) {
  const PrecisionScope scope = ScopeOf(input);
  const SparseEdges& of_rows = input.rows->ops;
  const torch::Tensor means =  // [R, hidden]
      Scatter(Gather(ops.unsqueeze(0), of_rows), of_rows, Aggregation::kMean).squeeze(0);
  torch::Tensor columns = input.rows->x;  // [R, kRowWidth]
  if (!sizes_.row_skip) {
    columns = columns.clone();
    columns.slice(1, kNumRowColumns).zero_();
  }
  torch::Tensor rows =  // [R, hidden]
      torch::relu(row_(torch::cat({means, columns}, 1))).to(torch::kFloat);
  for (const std::shared_ptr<SageLayer>& layer : row_layers_) {
    rows = layer->Forward(rows, input.rows->links);
  }
  const torch::Tensor by =  // [hidden], or [R, hidden]
      sizes_.modulation == Modulation::kLayer ? modulator_->Forward(rows.unsqueeze(0)).squeeze(0)
                                              : ops.mean(0);
  for (std::size_t i = 0; i + 1 < attention_.size(); ++i) {
    rows = Modulated(i, rows, by);
    if (sizes_.attention) {
      rows = attention_[i]->Forward(rows.unsqueeze(0)).squeeze(0);
    }
  }
  rows = Modulated(attention_.size() - 1, rows, by);
  if (sizes_.row_skip) {
    const torch::Tensor mean = rows.mean(0, /*keepdim=*/true);
    rows = torch::layer_norm(mean, {sizes_.hidden}) +
           torch::layer_norm(rows - mean, {sizes_.hidden}) + skip_(columns);
  }
  return {.rows = rows, .devices = DeviceVectors(input), .relations = RelationsOf(input)};
}

RowRelations Policy::RelationsOf(const PolicyInput& input) const {
  return IsAutoregressive(input, input.tasks.front())
             ? MakeRowRelations(*input.rows, *input.devices)
             : RowRelations();
}

torch::Tensor Policy::DeviceVectors(const PolicyInput& input) {
  if (input.tasks.front() != Task::kPlacement) {
    return {};
  }
  const DeviceFeatures& devices = *input.devices;
  const torch::Tensor pairs =  // [D, D, both ways]
      torch::cat({devices.pair, devices.pair.transpose(0, 1)}, 2);
  return torch::layer_norm(device_(devices.x) + slot_(devices.slot.remainder(kSlots)) +
                               torch::relu(pair_(pairs)).mean(1),
                           {sizes_.hidden});
}

bool Policy::Orders(Task task) const {
  return task == Task::kScheduling && sizes_.priority_head == PriorityHead::kGumbel;
}

torch::Tensor Policy::ActionEmbeddings(const EncodedInput& encoded, Task task) {
  return task == Task::kPlacement ? encoded.devices : action_embedding_[LevelIndex(task)]->weight;
}

torch::Tensor Policy::ActionEmbedding(const EncodedInput& encoded,
                                      Task task,
                                      const torch::Tensor& actions) {
  const torch::Tensor choices = Orders(task) ? LevelsOfPlaces(actions, sizes_.levels) : actions;
  return ActionEmbeddings(encoded, task)
      .index_select(0, choices.flatten())
      .view({actions.size(0), actions.size(1), sizes_.hidden});
}

torch::Tensor Policy::DecidedBy(Task task, const torch::Tensor& state) {
  const torch::Tensor rows =
      torch::layer_norm(state + task_->weight[static_cast<std::int64_t>(task)], {sizes_.hidden});
  return sizes_.attention ? attention_.back()->Forward(rows) : rows;
}

torch::Tensor Policy::FirstRows(const PolicyInput& input, const EncodedInput& encoded) {
  return DecidedBy(input.tasks.front(), encoded.rows.unsqueeze(0)).squeeze(0);
}

torch::Tensor Policy::Logits(const PolicyInput& input,
                             Task task,
                             const torch::Tensor& devices,
                             const torch::Tensor& rows) {
  torch::Tensor logits = task == Task::kPlacement  // [K, R, choices]
                             ? DeviceLogits(devices, rows)
                             : level_[LevelIndex(task)](rows);
  logits = logits.to(torch::kFloat);
  if (input.tables != nullptr) {
    logits = logits + input.tables->Of(task, input.rows->groups);
  }
  return Orders(task) && input.rule_scores.defined() ? logits + input.rule_scores.unsqueeze(1)
                                                     : logits;
}

torch::Tensor Policy::Outputs(const PolicyInput& input,
                              Task task,
                              const torch::Tensor& devices,
                              const torch::Tensor& rows) {
  const torch::Tensor logits = Logits(input, task, devices, rows);
  if (Orders(task)) {
    return logits;
  }
  return task == Task::kPlacement ? MaskedLogProbs(logits, input.rows->mask)
                                  : torch::log_softmax(logits, -1);
}

torch::Tensor Policy::DeviceLogits(const torch::Tensor& devices, const torch::Tensor& rows) {
  return query_(rows).matmul(devices.t()) / std::sqrt(static_cast<double>(sizes_.hidden));
}

}  // namespace opyard::agents::go
