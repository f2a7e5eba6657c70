// A language model of LSTM layers (Zaremba et al., arXiv:1409.2329), unrolled over time: embedding,
// dropout before each layer and behind the last, a projection to the vocabulary and a loss in each
// step. Gradients are clipped by their common norm; the optimiser is SGD.
//
// Options at full, small and tiny scale:
//
// `layers`  2        2      2      LSTM layers;
// `seq`     64       5      2      time steps;
// `batch`   64       64     64     sequences;
// `hidden`  2048     1024   1024   of a layer and of the embedding;
// `vocab`   10,000   10,000 10,000 words.
//
// `updates`: primitive at full scale, else fused; `optimizer`: sgd.
#include "graphs/zoo/lstm.h"
#include "graphs/zoo/models.h"
#include "graphs/zoo/training_step.h"

namespace opyard::graphs {
namespace {

struct RnnlmSize {
  std::int64_t layers = 0;
  std::int64_t seq = 0;
  std::int64_t batch = 0;
  std::int64_t hidden = 0;
  std::int64_t vocab = 0;
};

class Rnnlm {
 public:
  Rnnlm(GraphBuilder& builder, const RnnlmSize& size) : b_(builder), size_(size) {}

  // The mean loss per sequence.
  Tensor Loss() {
    b_.SetLayer(0);
    const Tensor words = b_.Placeholder("words", {size_.batch, size_.seq}, sim::DType::kI32);
    const Tensor targets = b_.Placeholder("targets", {size_.batch, size_.seq}, sim::DType::kI32);
    const Tensor table = b_.Weight("embedding", {size_.vocab, size_.hidden});
    const std::vector<Tensor> inputs = b_.Unpack(b_.Gather(table, words), 1);
    AddLayers();
    const std::vector<Tensor> labels = b_.Unpack(targets, 1);
    std::vector<Tensor> losses;
    for (std::int64_t step = 0; step < size_.seq; ++step) {
      const auto t = static_cast<std::size_t>(step);
      losses.push_back(StepLoss(inputs[t], labels[t]));
    }
    return b_.Reduce("Mean", b_.AddN(losses), {0});
  }

 private:
  void AddLayers() {
    for (std::int64_t i = 0; i < size_.layers; ++i) {
      b_.SetLayer(static_cast<std::int32_t>(i + 1));
      cells_.emplace_back(b_, "lstm" + std::to_string(i), size_.hidden, size_.hidden);
      states_.push_back(cells_.back().ZeroState(size_.batch));
    }
    b_.SetLayer(static_cast<std::int32_t>(size_.layers + 1));
    projection_ = b_.Weight("projection/kernel", {size_.hidden, size_.vocab});
    bias_ = b_.Weight("projection/bias", {size_.vocab});
  }

  Tensor StepLoss(const Tensor& word, const Tensor& label) {
    Tensor x = word;
    for (std::size_t i = 0; i < cells_.size(); ++i) {
      b_.SetLayer(static_cast<std::int32_t>(i + 1));
      states_[i] = cells_[i].Step(b_.Dropout(x), states_[i]);
      x = states_[i].hidden;
    }
    b_.SetLayer(static_cast<std::int32_t>(size_.layers + 1));
    const GraphBuilder::Scope scope(b_, "projection");
    return b_.CrossEntropy(b_.BiasAdd(b_.MatMul(b_.Dropout(x), projection_), bias_, 1), label);
  }

  GraphBuilder& b_;
  RnnlmSize size_;
  std::vector<LstmCell> cells_;
  std::vector<LstmState> states_;
  Tensor projection_;
  Tensor bias_;
};

}  // namespace

GraphPointer MakeRnnlm(const std::string& graph_name, Options& options) {
  ModelOptions read(graph_name, options);
  const RnnlmSize size{.layers = read.Int("layers", {2, 2, 2}, 32),
                       .seq = read.Int("seq", {64, 5, 2}, 256),
                       .batch = read.Batch({64, 64, 64}),
                       .hidden = read.Int("hidden", {2048, 1024, 1024}, 65536),
                       .vocab = read.Int("vocab", {10'000, 10'000, 10'000}, 1'000'000)};
  const OptimizerOptions optimizer =
      read.Optimizer({.rule = UpdateRule::kSgd, .clips_global_norm = true, .decays_rate = true});
  GraphBuilder builder = StartModel(read);
  const Tensor loss = Rnnlm(builder, size).Loss();
  return FinishTraining(builder, loss, optimizer);
}

}  // namespace opyard::graphs
