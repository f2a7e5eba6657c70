#include "agents/learned/hdp/forget_bias_lstm.h"

#include <vector>

namespace opyard::agents::hdp {

ForgetBiasLstm::ForgetBiasLstm(std::int64_t input, std::int64_t hidden, bool is_bidirectional)
    : input_(input),
      hidden_(hidden),
      weight_(register_parameter("weight", torch::zeros({4 * hidden, input + hidden}))),
      forget_bias_(register_parameter("forget_bias", torch::ones({1}))) {
  if (is_bidirectional) {
    reverse_weight_ =
        register_parameter("reverse_weight", torch::zeros({4 * hidden, input + hidden}));
  }
}

void ForgetBiasLstm::OpenForgetGates() {
  const torch::NoGradGuard no_grad;
  forget_bias_.fill_(1.0);
}

std::tuple<torch::Tensor, ForgetBiasLstm::State> ForgetBiasLstm::forward(const torch::Tensor& x,
                                                                         const State& begin) {
  const torch::Tensor none = weight_.new_zeros({4 * hidden_});
  const torch::Tensor bias =  // [4 hidden]
      torch::cat({none.slice(0, 0, hidden_),
                  forget_bias_.expand({hidden_}),
                  none.slice(0, 2 * hidden_, 4 * hidden_)});
  std::vector<torch::Tensor> parameters;
  for (const torch::Tensor& weight : {weight_, reverse_weight_}) {
    if (weight.defined()) {
      const std::vector<torch::Tensor> of_direction = {
          weight.slice(1, 0, input_), weight.slice(1, input_), bias, none};
      parameters.insert(parameters.end(), of_direction.begin(), of_direction.end());
    }
  }
  auto [outputs, h, c] = torch::lstm(x,
                                     {std::get<0>(begin), std::get<1>(begin)},
                                     parameters,
                                     /*has_biases=*/true,
                                     /*num_layers=*/1,
                                     /*dropout=*/0.0,
                                     /*train=*/false,
                                     /*bidirectional=*/reverse_weight_.defined(),
                                     /*batch_first=*/true);
  return {outputs, {h, c}};
}

std::tuple<torch::Tensor, ForgetBiasLstm::State> ForgetBiasLstm::forward(const torch::Tensor& x) {
  const torch::Tensor zeros =  // [directions, K, hidden]
      x.new_zeros({reverse_weight_.defined() ? 2 : 1, x.size(0), hidden_});
  return forward(x, {zeros, zeros});
}

}  // namespace opyard::agents::hdp
