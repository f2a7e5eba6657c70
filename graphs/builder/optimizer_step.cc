#include "graphs/builder/optimizer_step.h"

#include <algorithm>
#include <string>
#include <vector>

#include "sim/base/error.h"

namespace opyard::graphs {
namespace {

Tensor Assign(GraphBuilder& builder,
              std::string_view type,
              const VariableInfo& variable,
              const Tensor& value) {
  return builder.Binary(type, variable.handle, value);
}

// For each op: whether the backward pass depends on it.
std::vector<bool> LeadsToGradients(const GraphBuilder& builder) {
  std::vector<bool> leads(builder.num_ops());
  for (std::size_t i = builder.num_ops(); i-- > 0;) {
    const OpNode& node = builder.node(OpId(i));
    if (leads[i] || node.phase == sim::Phase::kBackward) {
      for (const Tensor& input : node.inputs) {
        leads[input.op.index()] = true;
      }
    }
  }
  return leads;
}

// For each op that is a Variable: those of its readers, also through views, that its gradient does
// not wait for anyway: those of the backward pass, and those that only add to the loss.
std::vector<std::vector<OpId>> LateReaders(const GraphBuilder& builder) {
  const std::vector<bool> leads = LeadsToGradients(builder);
  std::vector<std::vector<OpId>> readers(builder.num_ops());
  std::vector<OpId> storage(builder.num_ops());  // of output 0
  for (std::size_t i = 0; i < builder.num_ops(); ++i) {
    const OpNode& node = builder.node(OpId(i));
    storage[i] = node.kind->is_in_place ? storage[node.inputs[0].op.index()] : OpId(i);
    const bool is_early = node.phase != sim::Phase::kBackward && leads[i];
    if (node.kind->is_in_place || is_early) {
      continue;
    }
    for (const Tensor& input : node.inputs) {
      const OpId owner = storage[input.op.index()];
      auto& list = readers[owner.index()];
      const bool is_new = list.empty() || list.back() != OpId(i);
      if (builder.node(owner).kind->type == "Variable" && is_new) {
        list.push_back(OpId(i));
      }
    }
  }
  return readers;
}

// The module of what serves all weights.
constexpr const char* kNetwork = "";

class Updates {
 public:
  Updates(GraphBuilder& builder, const OptimizerOptions& options)
      : builder_(builder),
        options_(options),
        layer_(builder.layer()),
        late_readers_(LateReaders(builder)) {}

  void Run(std::span<const WeightGradient> gradients) {
    std::vector<Tensor> norms;
    if (options_.clips_global_norm) {
      for (const WeightGradient& item : gradients) {
        const std::size_t first = Enter(item);
        const GraphBuilder::Scope scope(builder_, "clip/" + NameOf(item), ModuleOf(item));
        norms.push_back(builder_.L2Loss(item.gradient));
        Leave(item, first);
      }
      AddScale(norms);
    }
    AddRate();
    for (const WeightGradient& item : gradients) {
      const std::size_t first = Enter(item);
      const GraphBuilder::Scope scope(builder_, "update/" + NameOf(item), ModuleOf(item));
      Update(item);
      Leave(item, first);
    }
  }

 private:
  [[nodiscard]] std::string NameOf(const WeightGradient& item) const {
    return builder_.node(item.weight.handle.op).name;
  }

  [[nodiscard]] std::optional<std::string> ModuleOf(const WeightGradient& item) const {
    return builder_.node(item.weight.handle.op).module;
  }

  std::size_t Enter(const WeightGradient& item) {
    builder_.SetLayer(builder_.node(item.weight.handle.op).layer);
    return builder_.num_ops();
  }

  void Leave(const WeightGradient& item, std::size_t first) {
    for (std::size_t op = first; op < builder_.num_ops(); ++op) {
      builder_.Colocate(item.weight.handle.op, OpId(op));
    }
  }

  // min(1, most / |g|), where |g|² = 2 Σ L2Loss.
  void AddScale(const std::vector<Tensor>& half_squares) {
    builder_.SetLayer(layer_);
    const GraphBuilder::Scope scope(builder_, "clip", kNetwork);
    const Tensor square = builder_.WithScalar("Mul", builder_.AddN(half_squares), "two");
    const Tensor norm = builder_.Unary("Sqrt", square);
    const Tensor bounded = builder_.WithScalar("Maximum", norm, "clip_norm");
    scale_ = builder_.Div(builder_.Constant("clip_norm", {}), bounded);
  }

  // The learning rate of this step, a scalar; what makes it stays on one device.
  void AddRate() {
    builder_.SetLayer(layer_);
    const GraphBuilder::Scope scope(builder_, "rate", kNetwork);
    const std::size_t first = builder_.num_ops();
    ComputeRate();
    for (std::size_t op = first; op < builder_.num_ops(); ++op) {
      builder_.Colocate(OpId(first), OpId(op));
    }
  }

  void ComputeRate() {
    rate_ = builder_.Constant("initial", {});
    if (options_.decays_rate) {
      const VariableInfo step = builder_.State("global_step", {}, sim::DType::kI32);
      const Tensor done = builder_.Cast(step.handle, sim::DType::kF32);
      const Tensor periods =
          builder_.Unary("Floor", builder_.WithScalar("RealDiv", done, "decay_steps"));
      const Tensor factor = builder_.Binary("Pow", builder_.Constant("factor", {}), periods);
      rate_ = builder_.Mul(rate_, factor);
      const Tensor next = builder_.WithScalar("AssignAdd", step.handle, "one");
      builder_.AddControl(done.op, next.op);
    }
    if (options_.rule == UpdateRule::kAdam) {
      CorrectBias();
    }
  }

  // r·√(1 − β₂ᵗ) / (1 − β₁ᵗ); the powers are kept from step to step.
  void CorrectBias() {
    const Tensor root = builder_.Unary("Sqrt", OneMinusPower("beta2_power"));
    const Tensor below = OneMinusPower("beta1_power");
    rate_ = builder_.Div(builder_.Mul(rate_, root), below);
  }

  Tensor OneMinusPower(const std::string& name) {
    const VariableInfo power = builder_.State(name, {});
    const Tensor next = builder_.WithScalar("Mul", power.handle, "beta");
    const Tensor stored = Assign(builder_, "Assign", power, next);
    return builder_.Sub(builder_.Constant("one", {}), stored);
  }

  void Update(const WeightGradient& item) {
    const Tensor gradient = scale_ ? builder_.Mul(item.gradient, *scale_) : item.gradient;
    const Tensor updated = options_.ops == UpdateOps::kFused
                               ? ApplyFused(item.weight, gradient)
                               : ApplyPrimitive(item.weight, gradient);
    for (const OpId reader : late_readers_[item.weight.handle.op.index()]) {
      builder_.AddControl(reader, updated.op);
    }
    if (options_.averages_weights) {
      AddMovingAverage(builder_, builder_.State("average", item.weight.handle.shape), updated);
    }
  }

  Tensor ApplyFused(const VariableInfo& weight, const Tensor& gradient) {
    struct Kind {
      std::string_view type;
      std::int64_t num_slots;
    };
    static constexpr Kind kKinds[] = {
        {"ApplyGradientDescent", 0}, {"ApplyMomentum", 1}, {"ApplyAdam", 2}, {"ApplyRMSProp", 2}};
    const Kind& kind = kKinds[static_cast<std::size_t>(options_.rule)];
    const Bytes bytes = BytesOf({weight.handle.shape, weight.handle.dtype});
    builder_.AddResident(weight.handle.op, Bytes{kind.num_slots * bytes.count});
    return builder_.output(
        builder_.Append({.type = kind.type, .inputs = {weight.handle, gradient, rate_}}));
  }

  Tensor ApplyPrimitive(const VariableInfo& weight, const Tensor& gradient) {
    switch (options_.rule) {
      case UpdateRule::kSgd:
        return Subtract(weight, Scaled(Decayed(weight, gradient)));
      case UpdateRule::kMomentum:
        return Subtract(weight, Scaled(Accumulate(weight, Decayed(weight, gradient))));
      case UpdateRule::kAdam:
        return Subtract(weight, Scaled(Decayed(weight, AdamDirection(weight, gradient))));
      case UpdateRule::kRmsProp:
        break;
    }
    return Subtract(weight, Accumulate(weight, Scaled(RmsDirection(weight, gradient))));
  }

  Tensor Subtract(const VariableInfo& weight, const Tensor& change) {
    return Assign(builder_, "AssignSub", weight, change);
  }

  Tensor Scaled(const Tensor& direction) { return builder_.Mul(direction, rate_); }

  Tensor Decayed(const VariableInfo& weight, const Tensor& direction) {
    if (!options_.decays_weights) {
      return direction;
    }
    return builder_.Add(direction, builder_.WithScalar("Mul", weight.handle, "weight_decay"));
  }

  VariableInfo Slot(const std::string& name, const VariableInfo& weight) {
    return builder_.State(name, weight.handle.shape);
  }

  Tensor Accumulate(const VariableInfo& weight, const Tensor& addend) {
    const VariableInfo slot = Slot("momentum", weight);
    const Tensor kept = builder_.WithScalar("Mul", slot.handle, "momentum_decay");
    return Assign(builder_, "Assign", slot, builder_.Add(kept, addend));
  }

  // `slot` += (1 − decay)(`target` − `slot`).
  Tensor Approach(const VariableInfo& slot, const Tensor& target) {
    const Tensor distance = builder_.Sub(target, slot.handle);
    return Assign(
        builder_, "AssignAdd", slot, builder_.WithScalar("Mul", distance, "one_minus_decay"));
  }

  Tensor AdamDirection(const VariableInfo& weight, const Tensor& gradient) {
    const Tensor mean = Approach(Slot("m", weight), gradient);
    const Tensor squared_gradient = builder_.Unary("Square", gradient);
    const Tensor square = Approach(Slot("v", weight), squared_gradient);
    const Tensor root = builder_.WithScalar("AddV2", builder_.Unary("Sqrt", square), "epsilon");
    return builder_.Div(mean, root);
  }

  Tensor RmsDirection(const VariableInfo& weight, const Tensor& gradient) {
    const Tensor squared_gradient = builder_.Unary("Square", gradient);
    const Tensor square = Approach(Slot("rms", weight), squared_gradient);
    const Tensor inverse_root =
        builder_.Unary("Rsqrt", builder_.WithScalar("AddV2", square, "epsilon"));
    return builder_.Mul(gradient, inverse_root);
  }

  GraphBuilder& builder_;
  OptimizerOptions options_;
  std::optional<std::int32_t> layer_;            // of what belongs to no weight
  std::vector<std::vector<OpId>> late_readers_;  // of Variable op i
  std::optional<Tensor> scale_;
  Tensor rate_;
};

}  // namespace

UpdateRule GetUpdateRule(std::string_view name) {
  const auto found = std::ranges::find(kUpdateRuleNames, name);
  if (found == kUpdateRuleNames.end()) {
    throw InputError("optimizer: found " + std::string(name) +
                     ", expected sgd, momentum, adam or rmsprop");
  }
  return static_cast<UpdateRule>(found - kUpdateRuleNames.begin());
}

void AddUpdates(GraphBuilder& builder,
                std::span<const WeightGradient> gradients,
                const OptimizerOptions& options) {
  const std::optional<std::int32_t> layer = builder.layer();
  builder.SetPhase(sim::Phase::kUpdate);
  Updates(builder, options).Run(gradients);
  builder.SetLayer(layer);
}

void AddMovingAverage(GraphBuilder& builder, const VariableInfo& average, const Tensor& value) {
  const Tensor distance = builder.Sub(average.handle, value);
  const Tensor step = builder.WithScalar("Mul", distance, "one_minus_decay");
  const Tensor next = Assign(builder, "AssignSub", average, step);
  for (const Tensor& tensor : {distance, step, next}) {
    builder.Colocate(average.handle.op, tensor.op);
  }
}

}  // namespace opyard::graphs
