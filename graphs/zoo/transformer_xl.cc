// Transformer-XL (Dai et al., arXiv:1901.02860): a language model whose layers also attend to their
// inputs of the segment before, with relative positions. What a layer keeps for the next segment is
// stored at the end of the step. Full softmax instead of an adaptive one. Adam, gradients clipped
// by their common norm.
//
// Options at full, small and tiny scale:
//
// `layers`  2       3       1;
// `width`   1024    512     512;
// `heads`   16      8       8;
// `inner`   4096    2048    2048   width of the feed-forward blocks;
// `seq`     384     128     128    words of a segment;
// `memory`  384     128     128    words kept of the segment before, at most `seq`;
// `batch`   96      16      16     sequences;
// `vocab`   32,000  10,000  10,000 words.
//
// `norm`, `updates`: primitive at full scale, else fused; `optimizer`: adam.
#include "graphs/zoo/models.h"
#include "graphs/zoo/training_step.h"
#include "graphs/zoo/transformer.h"
#include "sim/base/error.h"

namespace opyard::graphs {
namespace {

struct TransformerXlSize : TransformerSize {
  std::int64_t layers = 0;
  std::int64_t memory = 0;
  std::int64_t vocab = 0;
};

class TransformerXl {
 public:
  TransformerXl(GraphBuilder& builder, const TransformerXlSize& size) : b_(builder), size_(size) {}

  Tensor Loss() {
    b_.SetLayer(0);
    const Tensor words = b_.Placeholder("words", {size_.batch, size_.seq}, sim::DType::kI32);
    const Tensor labels = b_.Placeholder("labels", {size_.batch, size_.seq}, sim::DType::kI32);
    const Tensor table = b_.Weight("embedding", {size_.vocab, size_.width});
    Tensor x = b_.Dropout(b_.Gather(table, words));  // [batch, seq, width]
    const Tensor distances = b_.Dropout(b_.Constant("distances", {Length(), size_.width}));
    const Tensor mask = AttentionMask(b_, {1, 1, size_.seq, Length()});
    const Tensor query_bias = b_.Weight("query_bias", {size_.width});
    const Tensor distance_bias = b_.Weight("distance_bias", {size_.width});
    for (std::int64_t i = 0; i < size_.layers; ++i) {
      b_.SetLayer(static_cast<std::int32_t>(i + 1));
      const GraphBuilder::Scope scope(b_, "layer" + std::to_string(i));
      x = Layer(x, distances, mask, {query_bias, distance_bias});
    }
    b_.SetLayer(static_cast<std::int32_t>(size_.layers + 1));
    const Tensor rows = b_.Dropout(Rows(x));
    return MeanTokenLoss(b_, Project(b_, "projection", rows, size_.vocab), labels);
  }

 private:
  struct Biases {
    Tensor query;
    Tensor distance;
  };

  // The number of positions that one can see: the memory and the segment itself.
  [[nodiscard]] std::int64_t Length() const { return size_.memory + size_.seq; }

  Tensor Rows(const Tensor& x) { return b_.Reshape(x, {x.shape[0] * x.shape[1], x.shape[2]}); }

  Tensor Layer(const Tensor& x, const Tensor& distances, const Tensor& mask, const Biases& biases) {
    const Tensor rows = Rows(x);
    const Tensor seen = WithMemory(x);
    const Tensor attended = Attention(rows, seen, distances, mask, biases);
    const Tensor middle = LayerNorm(b_, "norm1", b_.Add(attended, rows), size_.norm);
    const Tensor fed = FeedForward(b_, "feed_forward", middle, size_.inner);
    const Tensor result = LayerNorm(b_, "norm2", b_.Add(fed, middle), size_.norm);
    return b_.Reshape(result, x.shape);
  }

  // The rows that the layer sees, [batch · length, width]; the end of them is kept for the next
  // segment.
  Tensor WithMemory(const Tensor& x) {
    const Shape kept = {size_.batch, size_.memory, size_.width};
    b_.SetPhase(sim::Phase::kUpdate);
    const VariableInfo memory = b_.State("memory", kept);
    b_.SetPhase(sim::Phase::kForward);
    const Tensor joined = b_.Concat({b_.Unary("StopGradient", memory.handle), x}, 1);
    b_.SetPhase(sim::Phase::kUpdate);
    const Tensor last = b_.Slice(joined, {0, size_.seq, 0}, kept);
    b_.Colocate(memory.handle.op, b_.Binary("Assign", memory.handle, last).op);
    b_.SetPhase(sim::Phase::kForward);
    return Rows(joined);
  }

  // (q + u)·kᵀ + shift((q + v)·rᵀ), then as usual.
  Tensor Attention(const Tensor& rows,
                   const Tensor& seen,
                   const Tensor& distances,
                   const Tensor& mask,
                   const Biases& biases) {
    const Tensor query = Project(b_, "query", rows, size_.width, Bias::kNone);
    const Tensor pair = Project(b_, "key_value", seen, 2 * size_.width, Bias::kNone);
    const std::vector<Tensor> key_value = b_.Split(pair, 2, 1);
    const Tensor key = SplitHeads(b_, key_value[0], size_.batch, size_.heads);
    const Tensor value = SplitHeads(b_, key_value[1], size_.batch, size_.heads);
    const Tensor by_content = SplitHeads(b_, b_.Add(query, biases.query), size_.batch, size_.heads);
    const Tensor content = b_.MatMul(by_content, key, Transposed::kSecond);
    const Tensor position = PositionScores(b_.Add(query, biases.distance), distances);
    const Tensor scores = b_.WithScalar("Mul", b_.Add(content, position), "scale");
    const Tensor weights = b_.Dropout(b_.Softmax(b_.Add(scores, mask)));
    const Tensor found = JoinHeads(b_, b_.MatMul(weights, value));
    return b_.Dropout(Project(b_, "output", found, size_.width, Bias::kNone));
  }

  // [batch, heads, seq, length]: each row of the products is shifted by its position.
  Tensor PositionScores(const Tensor& query, const Tensor& distances) {
    const Tensor projected = Project(b_, "distance", distances, size_.width, Bias::kNone);
    const Tensor keys = SplitHeads(b_, projected, 1, size_.heads);  // [1, heads, length, depth]
    const std::int64_t depth = size_.width / size_.heads;
    const Tensor flat_keys = b_.Reshape(keys, {size_.heads, Length(), depth});
    // Heads first, so that one product per head serves all sequences.
    const Tensor apart = b_.Reshape(query, {size_.batch * size_.seq, size_.heads, depth});
    const Tensor by_head = b_.Transpose(apart, {1, 0, 2});  // [heads, batch · seq, depth]
    const Tensor products = b_.MatMul(by_head, flat_keys, Transposed::kSecond);
    const Tensor grid = b_.Reshape(products, {size_.heads, size_.batch, size_.seq, Length()});
    return Shift(b_.Transpose(grid, {1, 0, 2, 3}));
  }

  Tensor Shift(const Tensor& x) {
    const Shape& shape = x.shape;
    const Tensor padded = b_.Pad(x, {0, 0, 0, 1}, {0, 0, 0, 0});
    const Tensor turned = b_.Reshape(padded, {shape[0], shape[1], shape[3] + 1, shape[2]});
    const Tensor cut = b_.Slice(turned, {0, 0, 1, 0}, {shape[0], shape[1], shape[3], shape[2]});
    return b_.Reshape(cut, shape);
  }

  GraphBuilder& b_;
  TransformerXlSize size_;
};

}  // namespace

GraphPointer MakeTransformerXl(const std::string& graph_name, Options& options) {
  ModelOptions read(graph_name, options);
  TransformerXlSize size;
  size.layers = read.Int("layers", {2, 3, 1}, 256);
  size.width = read.Int("width", {1024, 512, 512}, 65536);
  size.heads = read.Int("heads", {16, 8, 8}, 256);
  size.inner = read.Int("inner", {4096, 2048, 2048}, 262'144);
  size.seq = read.Int("seq", {384, 128, 128}, 65536);
  size.memory = read.Int("memory", {384, 128, 128}, 65536);
  size.batch = read.Batch({96, 16, 16});
  size.vocab = read.Int("vocab", {32'000, 10'000, 10'000}, 1'000'000);
  size.norm = read.Norm();
  CheckHeads(size.width, size.heads);
  const OptimizerOptions optimizer =
      read.Optimizer({.rule = UpdateRule::kAdam, .clips_global_norm = true, .decays_rate = true});
  GraphBuilder builder = StartModel(read);
  const Tensor loss = TransformerXl(builder, size).Loss();
  return FinishTraining(builder, loss, optimizer);
}

}  // namespace opyard::graphs
