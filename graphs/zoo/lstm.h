// One LSTM layer, a time step at a time.
#pragma once

#include <optional>
#include <string>

#include "graphs/builder/graph_builder.h"

namespace opyard::graphs {

struct LstmState {
  Tensor cell;    // [batch, hidden]
  Tensor hidden;  // [batch, hidden]
};

// Gates as in Zaremba et al. (arXiv:1409.2329), eq. 4, with one weight matrix
// [inputs + hidden, 4 · hidden] for all gates and a constant added to the forget gate.
class LstmCell {
 public:
  LstmCell(GraphBuilder& builder,
           const std::string& name,
           std::int64_t inputs,
           std::int64_t hidden);

  // Constant zeros for a batch.
  [[nodiscard]] LstmState ZeroState(std::int64_t batch) const;
  // The state after reading `x` [batch, inputs].
  [[nodiscard]] LstmState Step(const Tensor& x, const LstmState& state) const;
  // The same where `is_running` [batch, 1] holds; sequences that are over keep their state.
  [[nodiscard]] LstmState MaskedStep(const Tensor& x,
                                     const LstmState& state,
                                     const Tensor& is_running) const;
  // The output of the last step [batch, hidden], where nothing reads its cell.
  [[nodiscard]] Tensor LastOutput(const Tensor& x,
                                  const LstmState& state,
                                  const Tensor& is_running) const;

 private:
  GraphBuilder& builder_;
  std::string name_;
  std::int64_t hidden_;
  Tensor kernel_;
  Tensor bias_;
};

}  // namespace opyard::graphs
