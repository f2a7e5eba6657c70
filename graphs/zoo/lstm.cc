#include "graphs/zoo/lstm.h"

#include <vector>

namespace opyard::graphs {

LstmCell::LstmCell(GraphBuilder& builder,
                   const std::string& name,
                   std::int64_t inputs,
                   std::int64_t hidden)
    : builder_(builder),
      name_(name),
      hidden_(hidden),
      kernel_(builder.Weight(name + "/kernel", {inputs + hidden, 4 * hidden})),
      bias_(builder.Weight(name + "/bias", {4 * hidden})) {}

LstmState LstmCell::ZeroState(std::int64_t batch) const {
  const GraphBuilder::Scope scope(builder_, name_ + "/zero_state");
  return {.cell = builder_.Constant("cell", {batch, hidden_}),
          .hidden = builder_.Constant("hidden", {batch, hidden_})};
}

LstmState LstmCell::Step(const Tensor& x, const LstmState& state) const {
  GraphBuilder& b = builder_;
  const GraphBuilder::Scope scope(b, name_);
  const Tensor joined = b.Concat({x, state.hidden}, 1);                 // [batch, inputs + hidden]
  const Tensor gates = b.BiasAdd(b.MatMul(joined, kernel_), bias_, 1);  // [batch, 4 · hidden]
  const std::vector<Tensor> parts = b.Split(gates, 4, 1);
  const Tensor in = b.Sigmoid(parts[0]);
  const Tensor candidate = b.Tanh(parts[1]);
  const Tensor forget = b.Sigmoid(b.WithScalar("AddV2", parts[2], "forget_bias"));
  const Tensor out = b.Sigmoid(parts[3]);
  const Tensor kept = b.Mul(state.cell, forget);
  const Tensor cell = b.Add(kept, b.Mul(in, candidate));
  return {.cell = cell, .hidden = b.Mul(b.Tanh(cell), out)};
}

LstmState LstmCell::MaskedStep(const Tensor& x,
                               const LstmState& state,
                               const Tensor& is_running) const {
  const LstmState next = Step(x, state);
  const GraphBuilder::Scope scope(builder_, name_);
  const Tensor cell = builder_.Select(is_running, next.cell, state.cell);
  return {.cell = cell, .hidden = builder_.Select(is_running, next.hidden, state.hidden)};
}

Tensor LstmCell::LastOutput(const Tensor& x,
                            const LstmState& state,
                            const Tensor& is_running) const {
  const LstmState next = Step(x, state);
  const GraphBuilder::Scope scope(builder_, name_);
  return builder_.Select(is_running, next.hidden, state.hidden);
}

}  // namespace opyard::graphs
