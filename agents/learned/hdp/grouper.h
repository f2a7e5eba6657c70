// HDP's grouper: which group each unit goes to.
#pragma once

#include <torch/torch.h>

#include "agents/learned/hdp/op_features.h"
#include "agents/learned/hdp/settings.h"

namespace opyard::agents::hdp {

// Mirhoseini et al. 2018, section 3: two matrices and a softmax over groups, for all units at once.
// As in the published code, nothing limits its logits: on raw features a tanh saturates, and the
// grouper does not learn.
class Grouper : public torch::nn::Module {
 public:
  explicit Grouper(const Sizes& sizes);

  // [U, G].
  [[nodiscard]] torch::Tensor Logits(const OpFeatures& features);
  // log softmax over the groups: [U, G].
  [[nodiscard]] torch::Tensor LogProbs(const OpFeatures& features);

 private:
  Sizes sizes_;
  torch::nn::Embedding type_;  // [types, kTypeEmbedding]; not of a faithful network
  torch::nn::Linear hidden_;
  torch::nn::Linear head_;
};

}  // namespace opyard::agents::hdp
