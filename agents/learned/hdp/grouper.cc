#include "agents/learned/hdp/grouper.h"

#include "env/observation.h"

namespace opyard::agents::hdp {

namespace nn = torch::nn;

Grouper::Grouper(const Sizes& sizes)
    : sizes_(sizes),
      type_(env::kTypeVocabulary, kTypeEmbedding),
      hidden_(
          nn::LinearOptions(OpFeatureWidth(sizes.faithful) + (sizes.faithful ? 0 : kTypeEmbedding),
                            sizes.grouper_hidden)
              .bias(!sizes.faithful)),
      head_(nn::LinearOptions(sizes.grouper_hidden, sizes.num_groups).bias(!sizes.faithful)) {
  if (!sizes_.faithful) {
    register_module("type", type_);
  }
  register_module("hidden", hidden_);
  register_module("head", head_);
}

torch::Tensor Grouper::Logits(const OpFeatures& features) {
  if (sizes_.faithful) {
    return head_(hidden_(features.x)) / sizes_.grouper_temperature;
  }
  const torch::Tensor types =  // [U, kTypeEmbedding]: the mean over the ops of a unit
      features.x.new_zeros({features.x.size(0), kTypeEmbedding})
          .index_add(0, features.unit_of_op, type_(features.op_type)) /
      features.unit_size;
  const torch::Tensor hidden =  // [U, grouper_hidden]
      torch::relu(hidden_(torch::cat({types, features.x}, 1)));
  return head_(hidden) / sizes_.grouper_temperature;
}

torch::Tensor Grouper::LogProbs(const OpFeatures& features) {
  return torch::log_softmax(Logits(features), 1);
}

}  // namespace opyard::agents::hdp
