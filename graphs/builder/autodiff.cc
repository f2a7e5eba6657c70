#include "graphs/builder/autodiff.h"

#include <algorithm>
#include <array>
#include <string>

#include "graphs/builder/gradient_rules.h"
#include "sim/base/check.h"

namespace opyard::graphs {

const GradientRule* FindGradientRule(std::string_view type) {
  for (const auto rules :
       {ElementwiseGradients(), HeavyGradients(), ReductionGradients(), MovementGradients()}) {
    const auto found = std::ranges::lower_bound(rules, type, {}, &GradientRule::type);
    if (found != rules.end() && found->type == type) {
      return &*found;
    }
  }
  return nullptr;
}

void GradientContext::SetSummed(std::size_t index, const Tensor& gradient) {
  const Shape& wanted = inputs_[index].shape;
  const std::size_t added = gradient.shape.size() - wanted.size();
  Shape axes;
  for (std::size_t i = 0; i < gradient.shape.size(); ++i) {
    if (i < added || (wanted[i - added] == 1 && gradient.shape[i] != 1)) {
      axes.push_back(static_cast<std::int64_t>(i));
    }
  }
  Tensor summed = axes.empty() ? gradient : builder_.Reduce("Sum", gradient, axes);
  if (summed.shape != wanted) {
    summed = builder_.Reshape(summed, wanted);
  }
  Set(index, summed);
}

namespace {

class BackwardPass {
 public:
  BackwardPass(GraphBuilder& builder, const Tensor& loss)
      : builder_(builder), num_forward_(builder.num_ops()), contributions_(num_forward_) {
    FindDependent();
    const GraphBuilder::Scope scope(builder_, "gradients/loss", builder_.node(loss.op).module);
    Tensor one = builder_.Constant("one", loss.shape);
    Contribute(loss, one);
  }

  std::vector<WeightGradient> Run() {
    for (std::size_t i = num_forward_; i-- > 0;) {
      const OpId op(i);
      if (is_dependent_[i] && weight_of_[i] < 0 && !contributions_[i].empty()) {
        Visit(op);
      }
    }
    std::vector<WeightGradient> gradients;
    for (const VariableInfo& variable : builder_.variables()) {
      auto& slots = contributions_[variable.value.op.index()];
      if (variable.is_trainable && !slots.empty()) {
        gradients.push_back({.weight = variable, .gradient = slots[0][0]});
      }
    }
    return gradients;
  }

 private:
  using Slots = std::vector<std::vector<Tensor>>;  // per output: the gradients that reach it

  void FindDependent() {
    is_dependent_.resize(num_forward_);
    weight_of_.assign(num_forward_, -1);
    const auto variables = builder_.variables();
    for (std::size_t i = 0; i < variables.size(); ++i) {
      if (variables[i].is_trainable) {
        weight_of_[variables[i].value.op.index()] = static_cast<std::int32_t>(i);
      }
    }
    for (std::size_t i = 0; i < num_forward_; ++i) {
      is_dependent_[i] = weight_of_[i] >= 0 || LetsGradientsThrough(OpId(i));
    }
  }

  [[nodiscard]] bool LetsGradientsThrough(OpId op) const {
    const OpNode& node = builder_.node(op);
    const bool has_dependent_input = std::ranges::any_of(
        node.arguments().inputs, [&](const Tensor& input) { return IsDependent(input); });
    if (!has_dependent_input || node.phase != sim::Phase::kForward) {
      return false;
    }
    const GradientRule* rule = FindGradientRule(node.kind->type);
    OPYARD_CHECK(rule != nullptr,
                 "no gradient rule for ops of type " + std::string(node.kind->type));
    return rule->apply != nullptr;
  }

  [[nodiscard]] bool IsDependent(const Tensor& tensor) const {
    return tensor.op.index() < is_dependent_.size() && is_dependent_[tensor.op.index()];
  }

  void Visit(OpId op) {
    builder_.SetLayer(builder_.node(op).layer);
    const GraphBuilder::Scope scope(
        builder_, "gradients/" + builder_.node(op).name, builder_.node(op).module);
    std::vector<std::optional<Tensor>> gradients;
    for (const std::vector<Tensor>& terms : contributions_[op.index()]) {
      gradients.push_back(terms.empty() ? std::optional<Tensor>() : builder_.AddN(terms));
    }
    std::vector<bool> wanted;
    for (const Tensor& input : builder_.node(op).arguments().inputs) {
      wanted.push_back(IsDependent(input));
    }
    GradientContext context(builder_, op, std::move(wanted), std::move(gradients));
    FindGradientRule(builder_.node(op).kind->type)->apply(context);
    for (std::size_t i = 0; i < context.results().size(); ++i) {
      if (context.wants(i)) {
        Contribute(context.input(i), *context.results()[i]);
      }
    }
  }

  void Contribute(const Tensor& to, const Tensor& gradient) {
    Slots& slots = contributions_[to.op.index()];
    slots.resize(builder_.node(to.op).outputs.size());
    std::vector<Tensor>& terms = slots[static_cast<std::size_t>(to.output)];
    terms.push_back(gradient);
    if (weight_of_[to.op.index()] < 0) {
      return;
    }
    builder_.Colocate(to.op, gradient.op);
    if (terms.size() == 2) {
      terms = {builder_.AddN(terms)};
      builder_.Colocate(to.op, terms[0].op);
    }
  }

  GraphBuilder& builder_;
  std::size_t num_forward_;
  std::vector<bool> is_dependent_;       // of op i: its outputs depend on a weight
  std::vector<std::int32_t> weight_of_;  // of op i: the weight that it reads out, or −1
  std::vector<Slots> contributions_;     // of op i
};

}  // namespace

std::vector<WeightGradient> Differentiate(GraphBuilder& builder, const Tensor& loss) {
  const std::optional<std::int32_t> layer = builder.layer();
  builder.SetPhase(sim::Phase::kBackward);
  std::vector<WeightGradient> gradients = BackwardPass(builder, loss).Run();
  builder.SetLayer(layer);
  return gradients;
}

}  // namespace opyard::graphs
