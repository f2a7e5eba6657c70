// A causal language model whose every second feed-forward block is a mixture of experts after the
// Switch Transformer (Fedus et al., arXiv:2101.03961). Each word goes to the expert that a router
// prefers, as far as the expert's capacity allows, and a second loss keeps the experts evenly busy.
// Each expert is ops of its own, so that experts can stand on different devices. Adam, gradients
// clipped by their common norm.
//
// Options at full, small and tiny scale:
//
// `layers`   6       2      1      the last, and every second before it, has experts;
// `experts`  8       4      4      per mixture;
// `width`    768     512    512;
// `heads`    12      8      8;
// `inner`    3072    2048   2048   width of feed-forward blocks and of experts;
// `seq`      512     128    128    words of a sequence and rows of the position embedding;
// `batch`    8       8      8      sequences;
// `vocab`    32,000  10,000 10,000 words.
//
// `norm`, `updates`: primitive at full scale, else fused; `optimizer`: adam.
#include "graphs/zoo/models.h"
#include "graphs/zoo/training_step.h"
#include "graphs/zoo/transformer.h"

namespace opyard::graphs {
namespace {

struct MoeSize : TransformerSize {
  std::int64_t layers = 0;
  std::int64_t experts = 0;
  std::int64_t vocab = 0;

  // Places per sequence and expert: a quarter more than evenly needed, and one at least.
  [[nodiscard]] std::int64_t Capacity() const {
    return (5 * seq + 4 * experts - 1) / (4 * experts);
  }
};

class Moe {
 public:
  Moe(GraphBuilder& builder, const MoeSize& size) : b_(builder), size_(size) {}

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
      const Tensor normed = LayerNorm(b_, "norm1", x, size_.norm);
      x = b_.Add(x, SelfAttention(normed, mask));
      const Tensor inner = LayerNorm(b_, "norm2", x, size_.norm);
      x = b_.Add(x,
                 (size_.layers - i) % 2 == 1 ? Mixture(inner)
                                             : FeedForward(b_, "feed_forward", inner, size_.inner));
    }
    b_.SetLayer(static_cast<std::int32_t>(size_.layers + 1));
    const Tensor last = LayerNorm(b_, "norm", x, size_.norm);
    losses_.push_back(MeanTokenLoss(b_, b_.MatMul(last, table, Transposed::kSecond), labels));
    return b_.AddN(losses_);
  }

 private:
  Tensor SelfAttention(const Tensor& x, const Tensor& mask) {
    const Tensor joint = Project(b_, "query_key_value", x, 3 * size_.width);
    std::vector<Tensor> heads;
    for (const Tensor& part : b_.Split(joint, 3, 1)) {
      heads.push_back(SplitHeads(b_, part, size_.batch, size_.heads));
    }
    const Tensor seen = JoinHeads(b_, Attend(b_, heads[0], heads[1], heads[2], mask));
    return b_.Dropout(Project(b_, "output", seen, size_.width));
  }

  Tensor Mixture(const Tensor& rows) {
    const GraphBuilder::Scope scope(b_, "mixture");
    const Shape grid = {size_.batch, size_.seq, size_.width};
    const Tensor x = b_.Reshape(rows, grid);
    const Routes routes = Route(rows);
    // [batch, experts · places, width]
    const Tensor sent = b_.MatMul(routes.dispatch, x, Transposed::kFirst);
    const Tensor made = RunExperts(sent);
    const Tensor weighted = b_.Mul(routes.dispatch, routes.gate);
    return b_.Dropout(b_.Reshape(b_.MatMul(weighted, made), rows.shape));
  }

  struct Routes {
    Tensor dispatch;  // [batch, seq, experts · places]: 1 where a word takes a place
    Tensor gate;      // [batch, seq, 1]: the probability of the word's expert
  };

  Routes Route(const Tensor& rows) {
    const GraphBuilder::Scope scope(b_, "router");
    const std::int64_t experts = size_.experts;
    const std::int64_t places = size_.Capacity();
    const Tensor logits = Project(b_, "logits", rows, experts, Bias::kNone);
    const Tensor likes = b_.Reshape(b_.Softmax(logits), {size_.batch, size_.seq, experts});
    const Tensor chosen = b_.OneHot(b_.ArgMax(likes, 2), experts);  // [batch, seq, experts]
    const Tensor gate = b_.ReduceKeeping("Sum", b_.Mul(likes, chosen), {2});
    losses_.push_back(BalanceLoss(likes, chosen));
    // The number of words before that chose the same expert; beyond the capacity a word is dropped.
    const Tensor order = b_.Mul(b_.output(b_.Append({.type = "Cumsum",
                                                     .inputs = {chosen},
                                                     .attributes = {.axis = 1},
                                                     .operands = {{.name = "axis"}}})),
                                chosen);
    const Tensor fits = b_.Cast(b_.WithScalar("Less", order, "capacity"), sim::DType::kF32);
    const Tensor kept = b_.ExpandDims(b_.Mul(chosen, fits), 3);  // [batch, seq, experts, 1]
    const Tensor place = b_.Cast(b_.Reduce("Sum", order, {2}), sim::DType::kI32);
    const Tensor taken = b_.ExpandDims(b_.OneHot(place, places), 2);  // [batch, seq, 1, places]
    const Tensor dispatch =
        b_.Reshape(b_.Mul(kept, taken), {size_.batch, size_.seq, experts * places});
    return {.dispatch = dispatch, .gate = gate};
  }

  // experts · Σ over experts of (mean liking · share of words), scaled.
  Tensor BalanceLoss(const Tensor& likes, const Tensor& chosen) {
    const Tensor liking = b_.Reduce("Mean", likes, {0, 1});
    const Tensor share = b_.Reduce("Mean", chosen, {0, 1});
    const Tensor sum = b_.Reduce("Sum", b_.Mul(liking, share), {0});
    return b_.WithScalar("Mul", sum, "balance_weight");
  }

  Tensor RunExperts(const Tensor& sent) {
    const std::int64_t places = size_.Capacity();
    std::vector<Tensor> results;
    const std::vector<Tensor> parts = b_.Split(sent, size_.experts, 1);  // [batch, places, width]
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const GraphBuilder::Scope scope(b_, "expert" + std::to_string(i));
      const Tensor rows = b_.Reshape(parts[i], {size_.batch * places, size_.width});
      const Tensor wide = b_.Relu(Project(b_, "in", rows, size_.inner));
      const Tensor narrow = Project(b_, "out", wide, size_.width);
      results.push_back(b_.Reshape(narrow, parts[i].shape));
    }
    return b_.Concat(results, 1);
  }

  GraphBuilder& b_;
  MoeSize size_;
  std::vector<Tensor> losses_;
};

}  // namespace

GraphPointer MakeMoe(const std::string& graph_name, Options& options) {
  ModelOptions read(graph_name, options);
  MoeSize size;
  size.layers = read.Int("layers", {6, 2, 1}, 256);
  size.experts = read.Int("experts", {8, 4, 4}, 256);
  size.width = read.Int("width", {768, 512, 512}, 65536);
  size.heads = read.Int("heads", {12, 8, 8}, 256);
  size.inner = read.Int("inner", {3072, 2048, 2048}, 262'144);
  size.seq = read.Int("seq", {512, 128, 128}, 65536);
  size.batch = read.Batch({8, 8, 8});
  size.vocab = read.Int("vocab", {32'000, 10'000, 10'000}, 1'000'000);
  size.norm = read.Norm();
  CheckHeads(size.width, size.heads);
  const OptimizerOptions optimizer =
      read.Optimizer({.rule = UpdateRule::kAdam, .clips_global_norm = true, .decays_rate = true});
  GraphBuilder builder = StartModel(read);
  const Tensor loss = Moe(builder, size).Loss();
  return FinishTraining(builder, loss, optimizer);
}

}  // namespace opyard::graphs
