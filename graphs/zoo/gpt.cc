// GPT-2 (Radford et al., 2019): a causal language model with normalisation before each block and
// the output weights tied to the word embedding; 124.4 M parameters at full scale. Adam with weight
// decay, gradients clipped by their common norm.
//
// Options at full, small and tiny scale:
//
// `layers`  12      4       2;
// `width`   768     768     768;
// `heads`   12      12      12;
// `seq`     1024    256     256    words of a sequence and rows of the position embedding;
// `batch`   4       4       4      sequences;
// `vocab`   50,257  50,257  50,257 words.
//
// `norm`, `updates`: primitive at full scale, else fused; `optimizer`: adam.
#include "graphs/zoo/models.h"
#include "graphs/zoo/training_step.h"
#include "graphs/zoo/transformer.h"

namespace opyard::graphs {
namespace {

struct GptSize : TransformerSize {
  std::int64_t layers = 0;
  std::int64_t vocab = 0;
};

class Gpt {
 public:
  Gpt(GraphBuilder& builder, const GptSize& size) : b_(builder), size_(size) {}

  Tensor Loss() {
    b_.SetLayer(0);
    const Tensor words = b_.Placeholder("words", {size_.batch, size_.seq}, sim::DType::kI32);
    const Tensor labels = b_.Placeholder("labels", {size_.batch, size_.seq}, sim::DType::kI32);
    const Tensor table = b_.Weight("word_embedding", {size_.vocab, size_.width});
    const Tensor positions = b_.Weight("position_embedding", {size_.seq, size_.width});
    const Tensor sum = b_.Add(b_.Gather(table, words), positions);
    Tensor x = b_.Dropout(b_.Reshape(sum, {size_.batch * size_.seq, size_.width}));
    const Tensor mask = AttentionMask(b_, {1, 1, size_.seq, size_.seq});
    for (std::int64_t i = 0; i < size_.layers; ++i) {
      b_.SetLayer(static_cast<std::int32_t>(i + 1));
      const GraphBuilder::Scope scope(b_, "layer" + std::to_string(i));
      x = Layer(x, mask);
    }
    b_.SetLayer(static_cast<std::int32_t>(size_.layers + 1));
    const Tensor normed = LayerNorm(b_, "norm", x, size_.norm);
    return MeanTokenLoss(b_, b_.MatMul(normed, table, Transposed::kSecond), labels);
  }

 private:
  Tensor Layer(const Tensor& x, const Tensor& mask) {
    const Tensor joint =
        Project(b_, "query_key_value", LayerNorm(b_, "norm1", x, size_.norm), 3 * size_.width);
    std::vector<Tensor> heads;
    for (const Tensor& part : b_.Split(joint, 3, 1)) {
      heads.push_back(SplitHeads(b_, part, size_.batch, size_.heads));
    }
    const Tensor seen = JoinHeads(b_, Attend(b_, heads[0], heads[1], heads[2], mask));
    const Tensor middle = b_.Add(x, b_.Dropout(Project(b_, "output", seen, size_.width)));
    const Tensor normed = LayerNorm(b_, "norm2", middle, size_.norm);
    return b_.Add(middle, FeedForward(b_, "feed_forward", normed, 4 * size_.width));
  }

  GraphBuilder& b_;
  GptSize size_;
};

}  // namespace

GraphPointer MakeGpt(const std::string& graph_name, Options& options) {
  ModelOptions read(graph_name, options);
  GptSize size;
  size.layers = read.Int("layers", {12, 4, 2}, 256);
  size.width = read.Int("width", {768, 768, 768}, 65536);
  size.heads = read.Int("heads", {12, 12, 12}, 256);
  size.seq = read.Int("seq", {1024, 256, 256}, 65536);
  size.batch = read.Batch({4, 4, 4});
  size.vocab = read.Int("vocab", {50'257, 50'257, 50'257}, 1'000'000);
  size.norm = read.Norm();
  CheckHeads(size.width, size.heads);
  const OptimizerOptions optimizer = read.Optimizer({.rule = UpdateRule::kAdam,
                                                     .clips_global_norm = true,
                                                     .decays_rate = true,
                                                     .decays_weights = true});
  GraphBuilder builder = StartModel(read);
  const Tensor loss = Gpt(builder, size).Loss();
  return FinishTraining(builder, loss, optimizer);
}

}  // namespace opyard::graphs
