// Neural machine translation after GNMT (Wu et al., arXiv:1609.08144), unrolled over time.
//
// Encoder: one bidirectional LSTM layer, then `layers` − 1 forward ones. Decoder: `layers` layers;
// additive attention over the encoder's outputs is asked by the bottom layer's output and enters
// all layers. Residual connections from the third layer on; dropout before each layer; sequences
// that are over keep their state and add no loss. The projection to the vocabulary stands in each
// step. Deviations: a sigmoid-free attention score v·tanh(W q + keys), as in Bahdanau et al., and a
// full softmax.
//
// Options at full, small and tiny scale:
//
// `layers`  2        2      2      LSTM layers of the encoder, and of the decoder;
// `seq`     64       2      1      source and target time steps;
// `batch`   256      64     64     sentences;
// `hidden`  1024     512    512    of a layer and of the embeddings;
// `vocab`   32,000   8,000  8,000  words of each language.
//
// `updates`: primitive at full scale, else fused; `optimizer`: adam.
#include "graphs/zoo/lstm.h"
#include "graphs/zoo/models.h"
#include "graphs/zoo/training_step.h"

namespace opyard::graphs {
namespace {

struct GnmtSize {
  std::int64_t layers = 0;
  std::int64_t seq = 0;
  std::int64_t batch = 0;
  std::int64_t hidden = 0;
  std::int64_t vocab = 0;
};

// Layer i of encoder and decoder share a stage: an expert places them side by side.
class Gnmt {
 public:
  Gnmt(GraphBuilder& builder, const GnmtSize& size)
      : b_(builder), size_(size), num_steps_(static_cast<std::size_t>(size.seq)) {}

  // The loss per sentence, averaged.
  Tensor Loss() {
    const Tensor source_length = Lengths("source_length");
    const Tensor target_length = Lengths("target_length");
    Encode(Masks("source_mask", source_length));
    AddDecoder();
    const std::vector<Tensor> masks = Masks("target_mask", target_length);
    const std::vector<Tensor> words = Embed("target");
    const Tensor wanted = b_.Placeholder("wanted", {size_.batch, size_.seq}, sim::DType::kI32);
    const std::vector<Tensor> labels = b_.Unpack(wanted, 1);
    std::vector<Tensor> losses;
    for (std::size_t t = 0; t < num_steps_; ++t) {
      losses.push_back(StepLoss(words[t], labels[t], masks[t], t + 1 == num_steps_));
    }
    return b_.Reduce("Mean", b_.AddN(losses), {0});
  }

 private:
  [[nodiscard]] std::int32_t StageOf(std::int64_t layer) const {
    return static_cast<std::int32_t>(layer + 1);
  }

  Tensor Lengths(const std::string& name) {
    b_.SetLayer(0);
    return b_.Placeholder(name, {size_.batch, 1}, sim::DType::kI32);
  }

  // For each step, the sentences that are still running, [batch, 1].
  std::vector<Tensor> Masks(const std::string& name, const Tensor& lengths) {
    b_.SetLayer(0);
    const GraphBuilder::Scope scope(b_, name);
    std::vector<Tensor> masks;
    for (std::size_t t = 0; t < num_steps_; ++t) {
      masks.push_back(b_.WithScalar("GreaterEqual", lengths, "time"));
    }
    return masks;
  }

  // For each step, the vectors of its words, [batch, hidden].
  std::vector<Tensor> Embed(const std::string& name) {
    b_.SetLayer(0);
    const GraphBuilder::Scope scope(b_, name);
    const Tensor words = b_.Placeholder("words", {size_.batch, size_.seq}, sim::DType::kI32);
    const Tensor table = b_.Weight("embedding", {size_.vocab, size_.hidden});
    return b_.Unpack(b_.Gather(table, words), 1);
  }

  void Encode(const std::vector<Tensor>& masks) {
    std::vector<Tensor> x = Embed("source");
    const GraphBuilder::Scope scope(b_, "encoder");
    b_.SetLayer(StageOf(0));
    x = Bidirectional(x, masks);
    for (std::int64_t i = 1; i < size_.layers; ++i) {
      b_.SetLayer(StageOf(i));
      x = ForwardLayer(i, x, masks);
    }
    Remember(x, masks);
  }

  std::vector<Tensor> Bidirectional(const std::vector<Tensor>& x,
                                    const std::vector<Tensor>& masks) {
    const LstmCell ahead(b_, "forward0", size_.hidden, size_.hidden);
    const LstmCell back(b_, "backward0", size_.hidden, size_.hidden);
    LstmState ahead_state = ahead.ZeroState(size_.batch);
    LstmState back_state = back.ZeroState(size_.batch);
    std::vector<Tensor> ahead_outputs(num_steps_);
    std::vector<Tensor> back_outputs(num_steps_);
    for (std::size_t t = 0; t < num_steps_; ++t) {
      const std::size_t u = num_steps_ - 1 - t;
      const Tensor next = b_.Dropout(x[t]);
      if (t + 1 < num_steps_) {
        ahead_state = ahead.MaskedStep(next, ahead_state, masks[t]);
        ahead_outputs[t] = ahead_state.hidden;
      } else {
        ahead_outputs[t] = ahead.LastOutput(next, ahead_state, masks[t]);
      }
      back_state = back.MaskedStep(b_.Dropout(x[u]), back_state, masks[u]);
      back_outputs[u] = back_state.hidden;
    }
    states_.push_back(back_state);
    std::vector<Tensor> outputs;
    for (std::size_t t = 0; t < num_steps_; ++t) {
      outputs.push_back(b_.Concat({ahead_outputs[t], back_outputs[t]}, 1));
    }
    return outputs;
  }

  std::vector<Tensor> ForwardLayer(std::int64_t index,
                                   const std::vector<Tensor>& x,
                                   const std::vector<Tensor>& masks) {
    const LstmCell cell(b_, "forward" + std::to_string(index), x[0].shape[1], size_.hidden);
    LstmState state = cell.ZeroState(size_.batch);
    std::vector<Tensor> outputs;
    for (std::size_t t = 0; t < num_steps_; ++t) {
      state = cell.MaskedStep(b_.Dropout(x[t]), state, masks[t]);
      outputs.push_back(index >= 2 ? b_.Add(state.hidden, x[t]) : state.hidden);
    }
    states_.push_back(state);
    return outputs;
  }

  // The memory of attention: the encoder's outputs and their keys.
  void Remember(const std::vector<Tensor>& outputs, const std::vector<Tensor>& masks) {
    b_.SetLayer(StageOf(0));
    memory_ = b_.Pack(outputs, 1);       // [batch, seq, depth]
    memory_mask_ = b_.Concat(masks, 1);  // [batch, seq]
    const std::int64_t depth = memory_.shape[2];
    const Tensor kernel = b_.Weight("keys/kernel", {depth, size_.hidden});
    const Tensor rows = b_.Reshape(memory_, {size_.batch * size_.seq, depth});
    keys_ = b_.Reshape(b_.MatMul(rows, kernel), {size_.batch, size_.seq, size_.hidden});
  }

  void AddDecoder() {
    const GraphBuilder::Scope scope(b_, "decoder");
    for (std::int64_t i = 0; i < size_.layers; ++i) {
      b_.SetLayer(StageOf(i));
      const std::int64_t inputs = size_.hidden + memory_.shape[2];  // the context enters each layer
      cells_.emplace_back(b_, "forward" + std::to_string(i), inputs, size_.hidden);
    }
    b_.SetLayer(StageOf(0));
    query_ = b_.Weight("attention/query", {size_.hidden, size_.hidden});
    score_ = b_.Weight("attention/score", {size_.hidden});
    context_ = b_.Constant("attention/zero", {size_.batch, memory_.shape[2]});
    b_.SetLayer(StageOf(size_.layers));
    projection_ = b_.Weight("projection", {size_.hidden, size_.vocab});
  }

  // The mean of the memory [batch, depth], weighted by how it answers `query` [batch, hidden].
  Tensor Attend(const Tensor& query) {
    const GraphBuilder::Scope scope(b_, "attention");
    const Tensor asked = b_.ExpandDims(b_.MatMul(query, query_), 1);     // [batch, 1, hidden]
    const Tensor mixed = b_.Tanh(b_.Add(keys_, asked));                  // [batch, seq, hidden]
    const Tensor scores = b_.Reduce("Sum", b_.Mul(mixed, score_), {2});  // [batch, seq]
    const Tensor nowhere = b_.Constant("lowest", {});
    const Tensor weights = b_.Softmax(b_.Select(memory_mask_, scores, nowhere));
    return b_.Squeeze(b_.MatMul(b_.ExpandDims(weights, 1), memory_), {1});
  }

  // The output of layer `index` after reading `x` and the context.
  Tensor RunCell(std::size_t index, const Tensor& x, const Tensor& mask, bool is_last) {
    const Tensor joined = b_.Concat({b_.Dropout(x), context_}, 1);
    if (is_last) {
      return cells_[index].LastOutput(joined, states_[index], mask);
    }
    states_[index] = cells_[index].MaskedStep(joined, states_[index], mask);
    return states_[index].hidden;
  }

  Tensor StepLoss(const Tensor& word, const Tensor& label, const Tensor& mask, bool is_last) {
    const GraphBuilder::Scope scope(b_, "decoder");
    Tensor x = word;
    for (std::size_t i = 0; i < cells_.size(); ++i) {
      b_.SetLayer(StageOf(static_cast<std::int64_t>(i)));
      const Tensor hidden = RunCell(i, x, mask, is_last);
      x = i >= 2 ? b_.Add(hidden, x) : hidden;
      if (i == 0) {
        context_ = Attend(x);
      }
    }
    b_.SetLayer(StageOf(size_.layers));
    const Tensor loss = b_.CrossEntropy(b_.MatMul(x, projection_), label);  // [batch]
    return b_.Mul(loss, b_.Squeeze(b_.Cast(mask, sim::DType::kF32), {1}));
  }

  GraphBuilder& b_;
  GnmtSize size_;
  std::size_t num_steps_;
  Tensor memory_;
  Tensor memory_mask_;
  Tensor keys_;
  std::vector<LstmCell> cells_;
  std::vector<LstmState> states_;  // the encoder's last ones, then the decoder's
  Tensor query_;
  Tensor score_;
  Tensor context_;
  Tensor projection_;
};

}  // namespace

GraphPointer MakeGnmt(const std::string& graph_name, Options& options) {
  ModelOptions read(graph_name, options);
  const GnmtSize size{.layers = read.Int("layers", {2, 2, 2}, 32),
                      .seq = read.Int("seq", {64, 2, 1}, 256),
                      .batch = read.Batch({256, 64, 64}),
                      .hidden = read.Int("hidden", {1024, 512, 512}, 65536),
                      .vocab = read.Int("vocab", {32'000, 8'000, 8'000}, 1'000'000)};
  const OptimizerOptions optimizer =
      read.Optimizer({.rule = UpdateRule::kAdam, .clips_global_norm = true, .decays_rate = true});
  GraphBuilder builder = StartModel(read);
  const Tensor loss = Gnmt(builder, size).Loss();
  return FinishTraining(builder, loss, optimizer);
}

}  // namespace opyard::graphs
