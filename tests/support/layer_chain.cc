#include "tests/support/layer_chain.h"

#include <string>
#include <utility>
#include <vector>

#include "tests/support/small_graphs.h"

namespace opyard::testing {
namespace {

// The position of an op of layer i among the ops of the chain.
class Positions {
 public:
  explicit Positions(std::int32_t num_layers) : num_layers_(num_layers) {}
  [[nodiscard]] std::int64_t Forward(std::int32_t layer) const { return 1 + layer; }  // -1: "x"
  [[nodiscard]] std::int64_t Input(std::int32_t layer) const {
    return 1 + num_layers_ + 2 * (num_layers_ - 1 - layer);
  }
  [[nodiscard]] std::int64_t Weight(std::int32_t layer) const { return Input(layer) + 1; }
  [[nodiscard]] std::int64_t Variable(std::int32_t layer) const {
    return 1 + 3 * num_layers_ + 2 * layer;
  }
  // That of the gradient of the output of `layer`.
  [[nodiscard]] std::int64_t OutputGradient(std::int32_t layer) const {
    return layer + 1 == num_layers_ ? Forward(layer) : Input(layer + 1);
  }

 private:
  std::int32_t num_layers_;
};

std::string NameIn(const char* part, std::int32_t layer) {
  return std::string(part) + "/" + std::to_string(layer);
}

sim::OpSpec ChainOp(std::string name,
                    std::int32_t layer,
                    std::int64_t us,
                    std::vector<sim::InputRef> inputs,
                    std::int64_t bytes) {
  sim::OpSpec op = TimedOp(name, us, std::move(inputs), {bytes});
  op.phase = name.starts_with("forward") ? sim::Phase::kForward : sim::Phase::kBackward;
  op.layer = layer;
  return op;
}

void AddWeight(const LayerChain& chain, std::int32_t layer, std::vector<sim::OpSpec>& ops) {
  const Positions at(chain.num_layers);
  sim::OpSpec variable = VariableOp(NameIn("variable", layer), chain.weight_bytes);
  variable.phase = sim::Phase::kForward;
  sim::OpSpec update = TimedOp(NameIn("update", layer),
                               0,
                               {{.op = at.Variable(layer)}, {.op = at.Weight(layer)}},
                               {chain.weight_bytes});
  update.phase = sim::Phase::kUpdate;
  update.outputs[0].alias = sim::Alias::kInput;
  update.control_inputs = {at.Input(layer)};
  for (sim::OpSpec* op : {&variable, &update}) {
    op->layer = layer;
    op->colocation = variable.name;
  }
  ops.push_back(std::move(variable));
  ops.push_back(std::move(update));
}

}  // namespace

std::shared_ptr<const sim::OpGraph> MakeLayerChain(const LayerChain& chain) {
  const Positions at(chain.num_layers);
  const std::int64_t bytes = chain.activation_bytes;
  const bool has_weights = chain.weight_bytes > 0;
  std::vector<sim::OpSpec> ops = {TimedOp("x", 0, {}, {bytes})};
  ops[0].type = "Placeholder";
  ops[0].phase = sim::Phase::kForward;
  ops[0].layer = -1;
  for (std::int32_t i = 0; i < chain.num_layers; ++i) {
    ops.push_back(
        ChainOp(NameIn("forward", i), i, chain.forward_us, {{.op = at.Forward(i - 1)}}, bytes));
  }
  for (std::int32_t i = chain.num_layers; i-- > 0;) {
    const sim::InputRef gradient{.op = at.OutputGradient(i)};
    ops.push_back(ChainOp(NameIn("input", i), i, chain.input_gradient_us, {gradient}, bytes));
    ops.push_back(ChainOp(NameIn("weight", i),
                          i,
                          chain.weight_gradient_us,
                          {gradient, {.op = at.Forward(i - 1)}},
                          has_weights ? chain.weight_bytes : bytes));
  }
  for (std::int32_t i = 0; has_weights && i < chain.num_layers; ++i) {
    const sim::InputRef weight{.op = at.Variable(i)};
    ops[static_cast<std::size_t>(at.Forward(i))].inputs.push_back(weight);
    ops[static_cast<std::size_t>(at.Input(i))].inputs.push_back(weight);
    AddWeight(chain, i, ops);
  }
  ops.push_back(ChainOp("gradient/x", -1, 0, {{.op = at.Input(0)}}, bytes));
  return MakeGraph(std::move(ops));
}

}  // namespace opyard::testing
