// Inception-v3 (Szegedy et al., arXiv:1512.00567) with its auxiliary head (weight 0.4 in the loss)
// and the training of that paper: RMSProp with momentum, gradients clipped by their common norm,
// moving averages of weights and of batch statistics, L2 loss of the filters. Filter counts are
// those of the widely used implementations: 27.16 M parameters with the auxiliary head, 23.83 M
// without.
//
// Options at full, small and tiny scale:
//
// `batch`      32    32     32     images of 3 × 299 × 299;
// `blocks_35`  3     0      1      blocks on the 35×35 grid;
// `blocks_17`  4     1      0      on the 17×17 grid, behind a reduction;
// `blocks_8`   2     1      0      on the 8×8 grid, behind a reduction;
// `auxiliary`  true  false  false.
//
// `norm`, `updates`: primitive at full scale, else fused; `optimizer`: rmsprop.
#include <utility>

#include "graphs/zoo/conv_unit.h"
#include "graphs/zoo/models.h"
#include "graphs/zoo/training_step.h"

namespace opyard::graphs {
namespace {

struct InceptionSize {
  std::int64_t batch = 0;
  std::int64_t blocks_35 = 0;
  std::int64_t blocks_17 = 0;
  std::int64_t blocks_8 = 0;
  bool has_auxiliary = false;
};

class InceptionV3 {
 public:
  InceptionV3(GraphBuilder& builder,
              ConvUnits units,
              const OptimizerOptions& optimizer,
              const InceptionSize& size)
      : b_(builder), units_(std::move(units)), optimizer_(optimizer), size_(size) {}

  Tensor Loss() {
    b_.SetLayer(stage_);
    const Tensor images = b_.Placeholder("images", {size_.batch, 3, 299, 299}, sim::DType::kF32);
    const Tensor labels = b_.Placeholder("labels", {size_.batch}, sim::DType::kI32);
    Tensor x = Grid35(Stem(images));
    if (size_.blocks_17 > 0) {
      x = Grid17(x);
    }
    std::vector<Tensor> losses;
    if (size_.has_auxiliary) {
      const Tensor side = MeanCrossEntropy(b_, AuxiliaryHead(x), labels);
      losses.push_back(b_.WithScalar("Mul", side, "auxiliary_weight"));
    }
    if (size_.blocks_8 > 0) {
      x = Grid8(x);
    }
    NextStage();
    const Tensor features = b_.Dropout(b_.Reduce("Mean", x, {2, 3}));  // [batch, channels]
    losses.push_back(
        MeanCrossEntropy(b_, DenseLayer(b_, "logits", features, kImageNetClasses), labels));
    return AddWeightLoss(b_, b_.AddN(losses), units_.filters(), optimizer_);
  }

 private:
  using Chain = std::vector<std::pair<std::int64_t, FilterShape>>;  // filters and their shape

  void NextStage() { b_.SetLayer(++stage_); }

  // Units one after another, named "`name`0" and on.
  Tensor Run(const std::string& name, Tensor x, const Chain& chain) {
    for (std::size_t i = 0; i < chain.size(); ++i) {
      x = units_.ConvNormRelu(name + std::to_string(i), x, chain[i].first, chain[i].second);
    }
    return x;
  }

  Tensor MaxPool(const Tensor& x) {
    return b_.Pool("MaxPool", x, {.height = 3, .width = 3, .stride_h = 2, .stride_w = 2});
  }

  // Averages 3×3 places, then convolves with 1×1 filters.
  Tensor PoolBranch(const Tensor& x, std::int64_t filters) {
    const Tensor pooled = b_.Pool("AvgPool", x, {.height = 3, .width = 3, .pad_h = 1, .pad_w = 1});
    return Run("pool", pooled, {{filters, {}}});
  }

  Tensor Stem(const Tensor& images) {
    const GraphBuilder::Scope scope(b_, "stem");
    Tensor x = Run("a", images, {{32, {3, 3, 2}}, {32, {3, 3}}, {64, FilterShape::Same(3, 3)}});
    return MaxPool(Run("b", MaxPool(x), {{80, {}}, {192, {3, 3}}}));
  }

  Tensor Grid35(Tensor x) {
    for (std::int64_t i = 0; i < size_.blocks_35; ++i) {
      NextStage();
      const GraphBuilder::Scope scope(b_, "block35_" + std::to_string(i));
      const FilterShape three = FilterShape::Same(3, 3);
      x = b_.Concat({Run("a", x, {{64, {}}}),
                     Run("b", x, {{48, {}}, {64, FilterShape::Same(5, 5)}}),
                     Run("c", x, {{64, {}}, {96, three}, {96, three}}),
                     PoolBranch(x, i == 0 ? 32 : 64)},
                    1);
    }
    return x;
  }

  Tensor Grid17(Tensor x) {
    NextStage();
    {
      const GraphBuilder::Scope scope(b_, "reduction17");
      x = b_.Concat({Run("a", x, {{384, {3, 3, 2}}}),
                     Run("b", x, {{64, {}}, {96, FilterShape::Same(3, 3)}, {96, {3, 3, 2}}}),
                     MaxPool(x)},
                    1);
    }
    for (std::int64_t i = 0; i < size_.blocks_17; ++i) {
      NextStage();
      const GraphBuilder::Scope scope(b_, "block17_" + std::to_string(i));
      x = Block17(x, i == 0 ? 128 : i == size_.blocks_17 - 1 ? 192 : 160);
    }
    return x;
  }

  Tensor Block17(const Tensor& x, std::int64_t width) {
    const FilterShape row = FilterShape::Same(1, 7);
    const FilterShape column = FilterShape::Same(7, 1);
    return b_.Concat(
        {Run("a", x, {{192, {}}}),
         Run("b", x, {{width, {}}, {width, row}, {192, column}}),
         Run("c", x, {{width, {}}, {width, column}, {width, row}, {width, column}, {192, row}}),
         PoolBranch(x, 192)},
        1);
  }

  Tensor Grid8(Tensor x) {
    NextStage();
    {
      const GraphBuilder::Scope scope(b_, "reduction8");
      const FilterShape half = {3, 3, 2};
      x = b_.Concat({Run("a", x, {{192, {}}, {320, half}}),
                     Run("b",
                         x,
                         {{192, {}},
                          {192, FilterShape::Same(1, 7)},
                          {192, FilterShape::Same(7, 1)},
                          {192, half}}),
                     MaxPool(x)},
                    1);
    }
    for (std::int64_t i = 0; i < size_.blocks_8; ++i) {
      NextStage();
      const GraphBuilder::Scope scope(b_, "block8_" + std::to_string(i));
      x = b_.Concat({Run("a", x, {{320, {}}}),
                     Fork("b", Run("b", x, {{384, {}}})),
                     Fork("c", Run("c", x, {{448, {}}, {384, FilterShape::Same(3, 3)}})),
                     PoolBranch(x, 192)},
                    1);
    }
    return x;
  }

  // A row and a column filter side by side.
  Tensor Fork(const std::string& name, const Tensor& x) {
    return b_.Concat({Run(name + "_row", x, {{384, FilterShape::Same(1, 3)}}),
                      Run(name + "_column", x, {{384, FilterShape::Same(3, 1)}})},
                     1);
  }

  // Logits from the 17×17 grid.
  Tensor AuxiliaryHead(const Tensor& x) {
    const GraphBuilder::Scope scope(b_, "auxiliary");
    const Tensor pooled =
        b_.Pool("AvgPool", x, {.height = 5, .width = 5, .stride_h = 3, .stride_w = 3});
    const Tensor features = Run("a", pooled, {{128, {}}, {768, {5, 5}}});
    return DenseLayer(b_, "logits", b_.Reduce("Mean", features, {2, 3}), kImageNetClasses);
  }

  GraphBuilder& b_;
  ConvUnits units_;
  OptimizerOptions optimizer_;
  InceptionSize size_;
  std::int32_t stage_ = 0;
};

}  // namespace

GraphPointer MakeInceptionV3(const std::string& graph_name, Options& options) {
  ModelOptions read(graph_name, options);
  const InceptionSize size{.batch = read.Batch({32, 32, 32}),
                           .blocks_35 = read.Count("blocks_35", {3, 0, 1}, 64),
                           .blocks_17 = read.Count("blocks_17", {4, 1, 0}, 64),
                           .blocks_8 = read.Count("blocks_8", {2, 1, 0}, 64),
                           .has_auxiliary = read.Bool("auxiliary", read.scale() == Scale::kFull)};
  const OptimizerOptions optimizer = read.Optimizer({.rule = UpdateRule::kRmsProp,
                                                     .clips_global_norm = true,
                                                     .decays_rate = true,
                                                     .averages_weights = true});
  const NormOps norm = read.Norm();
  GraphBuilder builder = StartModel(read);
  const Tensor loss =
      InceptionV3(builder, ConvUnits(builder, norm, optimizer.averages_weights), optimizer, size)
          .Loss();
  return FinishTraining(builder, loss, optimizer);
}

}  // namespace opyard::graphs
