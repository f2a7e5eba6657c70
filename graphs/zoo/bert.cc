// BERT (Devlin et al., arXiv:1810.04805) in pre-training: masked words and next sentence, the
// output weights tied to the word embedding; 110.1 M parameters at full scale. Adam with weight
// decay, gradients clipped by their common norm.
//
// Options at full, small and tiny scale:
//
// `layers`     12      3       1;
// `width`      768     768     768;
// `heads`      12      12      12;
// `inner`      3072    3072    3072   width of the feed-forward blocks;
// `seq`        128     128     128    words of a sequence, at most `positions`;
// `positions`  512     512     512    rows of the position embedding;
// `masked`     20      20      20     words of a sequence that are guessed, at most `seq`;
// `batch`      32      32      32     sequences;
// `vocab`      30,522  30,522  30,522 words.
//
// `norm`, `updates`: primitive at full scale, else fused; `optimizer`: adam.
#include "graphs/zoo/models.h"
#include "graphs/zoo/training_step.h"
#include "graphs/zoo/transformer.h"
#include "sim/base/error.h"

namespace opyard::graphs {
namespace {

struct BertSize : TransformerSize {
  std::int64_t layers = 0;
  std::int64_t positions = 0;
  std::int64_t masked = 0;
  std::int64_t vocab = 0;
};

class Bert {
 public:
  Bert(GraphBuilder& builder, const BertSize& size) : b_(builder), size_(size) {}

  Tensor Loss() {
    b_.SetLayer(0);
    Tensor x = Embed();
    const Tensor mask = AttentionMask(b_, {size_.batch, 1, 1, size_.seq});
    for (std::int64_t i = 0; i < size_.layers; ++i) {
      b_.SetLayer(static_cast<std::int32_t>(i + 1));
      const GraphBuilder::Scope scope(b_, "layer" + std::to_string(i));
      x = Layer(x, mask);
    }
    b_.SetLayer(static_cast<std::int32_t>(size_.layers + 1));
    const Tensor word_loss = MaskedWordLoss(x);
    return b_.Add(word_loss, NextSentenceLoss(x));
  }

 private:
  // [batch · seq, width]: the sum of word, segment and position vectors.
  Tensor Embed() {
    const GraphBuilder::Scope scope(b_, "embedding");
    const Shape tokens = {size_.batch, size_.seq};
    const Tensor words = b_.Placeholder("words", tokens, sim::DType::kI32);
    const Tensor segments = b_.Placeholder("segments", tokens, sim::DType::kI32);
    table_ = b_.Weight("word", {size_.vocab, size_.width});
    const Tensor word = b_.Gather(table_, words);
    const Tensor segment = b_.Gather(b_.Weight("segment", {2, size_.width}), segments);
    const Tensor all = b_.Weight("position", {size_.positions, size_.width});
    const Tensor position = b_.Slice(all, {0, 0}, {size_.seq, size_.width});
    const Tensor sum = b_.Add(b_.Add(word, segment), position);
    const Tensor rows = b_.Reshape(sum, {size_.batch * size_.seq, size_.width});
    return b_.Dropout(LayerNorm(b_, "norm", rows, size_.norm));
  }

  Tensor Layer(const Tensor& x, const Tensor& mask) {
    const Tensor query = Heads("query", x);
    const Tensor key = Heads("key", x);
    const Tensor value = Heads("value", x);
    const Tensor seen = JoinHeads(b_, Attend(b_, query, key, value, mask));
    const Tensor attended = b_.Dropout(Project(b_, "output", seen, size_.width));
    const Tensor middle = LayerNorm(b_, "norm1", b_.Add(attended, x), size_.norm);
    const Tensor fed = FeedForward(b_, "feed_forward", middle, size_.inner);
    return LayerNorm(b_, "norm2", b_.Add(fed, middle), size_.norm);
  }

  Tensor Heads(const std::string& name, const Tensor& x) {
    return SplitHeads(b_, Project(b_, name, x, size_.width), size_.batch, size_.heads);
  }

  Tensor MaskedWordLoss(const Tensor& x) {
    const GraphBuilder::Scope scope(b_, "masked_words");
    const std::int64_t count = size_.batch * size_.masked;
    const Tensor places = b_.Placeholder("places", {count}, sim::DType::kI32);
    const Tensor labels = b_.Placeholder("labels", {count}, sim::DType::kI32);
    const Tensor guessed = Project(b_, "transform", b_.Gather(x, places), size_.width);
    const Tensor rows = LayerNorm(b_, "norm", b_.Unary("Gelu", guessed), size_.norm);
    const Tensor bias = b_.Weight("bias", {size_.vocab});
    const Tensor logits = b_.BiasAdd(b_.MatMul(rows, table_, Transposed::kSecond), bias, 1);
    return MeanCrossEntropy(b_, logits, labels);
  }

  // From the first word of each sequence.
  Tensor NextSentenceLoss(const Tensor& x) {
    const GraphBuilder::Scope scope(b_, "next_sentence");
    const Tensor labels = b_.Placeholder("labels", {size_.batch}, sim::DType::kI32);
    const Tensor sequences = b_.Reshape(x, {size_.batch, size_.seq, size_.width});
    const Tensor first = b_.Slice(sequences, {0, 0, 0}, {size_.batch, 1, size_.width});
    const Tensor pooled = b_.Tanh(Project(b_, "pooler", b_.Squeeze(first, {1}), size_.width));
    return MeanCrossEntropy(b_, Project(b_, "classes", pooled, 2), labels);
  }

  GraphBuilder& b_;
  BertSize size_;
  Tensor table_;
};

void CheckAtMost(const std::string& option, std::int64_t found, std::int64_t most) {
  if (found > most) {
    throw InputError("option " + option + ": found " + std::to_string(found) +
                     ", expected at most " + std::to_string(most));
  }
}

}  // namespace

GraphPointer MakeBert(const std::string& graph_name, Options& options) {
  ModelOptions read(graph_name, options);
  BertSize size;
  size.layers = read.Int("layers", {12, 3, 1}, 256);
  size.width = read.Int("width", {768, 768, 768}, 65536);
  size.heads = read.Int("heads", {12, 12, 12}, 256);
  size.inner = read.Int("inner", {3072, 3072, 3072}, 262'144);
  size.positions = read.Int("positions", {512, 512, 512}, 65536);
  size.seq = read.Int("seq", {128, 128, 128}, 65536);
  size.masked = read.Int("masked", {20, 20, 20}, 65536);
  size.batch = read.Batch({32, 32, 32});
  size.vocab = read.Int("vocab", {30'522, 30'522, 30'522}, 1'000'000);
  size.norm = read.Norm();
  CheckHeads(size.width, size.heads);
  CheckAtMost("seq", size.seq, size.positions);
  CheckAtMost("masked", size.masked, size.seq);
  const OptimizerOptions optimizer = read.Optimizer({.rule = UpdateRule::kAdam,
                                                     .clips_global_norm = true,
                                                     .decays_rate = true,
                                                     .decays_weights = true});
  GraphBuilder builder = StartModel(read);
  const Tensor loss = Bert(builder, size).Loss();
  return FinishTraining(builder, loss, optimizer);
}

}  // namespace opyard::graphs
