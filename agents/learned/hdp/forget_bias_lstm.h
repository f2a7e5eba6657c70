// The LSTM of the published HDP code.
#pragma once

#include <cstdint>
#include <tuple>

#include <torch/torch.h>

namespace opyard::agents::hdp {

// One weight matrix per direction, for the input and the last output side by side, and one learnt
// number, which is added to the forget gate of every unit in both directions and begins at 1
// (tensorflow/python/grappler/hierarchical_controller.py, lstm). No other biases.
class ForgetBiasLstm : public torch::nn::Module {
 public:
  using State = std::tuple<torch::Tensor, torch::Tensor>;  // h and c: [directions, K, hidden]

  ForgetBiasLstm(std::int64_t input, std::int64_t hidden, bool is_bidirectional);

  // Sets the forget bias to 1, once the weights have been sampled.
  void OpenForgetGates();

  // `x` [K, S, input] → outputs [K, S, directions · hidden], and the state behind the last step.
  [[nodiscard]] std::tuple<torch::Tensor, State> forward(const torch::Tensor& x,
                                                         const State& begin);
  // The same from zeros.
  [[nodiscard]] std::tuple<torch::Tensor, State> forward(const torch::Tensor& x);

 private:
  std::int64_t input_;
  std::int64_t hidden_;
  torch::Tensor weight_;          // [4 hidden, input + hidden]: input, forget, cell, output gates
  torch::Tensor reverse_weight_;  // the same of the other direction; undefined if there is none
  torch::Tensor forget_bias_;     // [1]
};

}  // namespace opyard::agents::hdp
