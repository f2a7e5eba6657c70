// ResNet-50 (He et al., arXiv:1512.03385) with the stride of a block in its 3×3 convolution, as in
// the variant that the usual counts (25.557 M parameters, 4.09 GMAC) belong to. SGD with momentum
// and an L2 loss of the filters.
//
// Options at full, small and tiny scale:
//
// `batch`         32    32     32     images;
// `image`         224   224    224    height and width;
// `blocks_1 … 4`  3 4 6 3  2 2 2 2  1 1 1 1  blocks on the grids of 1/4, 1/8, 1/16, 1/32.
//
// `norm`, `updates`: primitive at full scale, else fused; `optimizer`: momentum.
#include <array>

#include "graphs/zoo/conv_unit.h"
#include "graphs/zoo/models.h"
#include "graphs/zoo/training_step.h"

namespace opyard::graphs {
namespace {

constexpr std::int64_t kExpansion = 4;

struct ResnetSize {
  std::int64_t batch = 0;
  std::int64_t image = 0;
  std::array<std::int64_t, 4> blocks = {};
};

class Resnet {
 public:
  Resnet(GraphBuilder& builder,
         ConvUnits units,
         const OptimizerOptions& optimizer,
         const ResnetSize& size)
      : b_(builder), units_(std::move(units)), optimizer_(optimizer), size_(size) {}

  Tensor Loss() {
    b_.SetLayer(0);
    const Tensor images =
        b_.Placeholder("images", {size_.batch, 3, size_.image, size_.image}, sim::DType::kF32);
    const Tensor labels = b_.Placeholder("labels", {size_.batch}, sim::DType::kI32);
    Tensor x = units_.ConvNormRelu("stem", images, 64, FilterShape::Same(7, 7, 2));
    x = b_.Pool("MaxPool",
                x,
                {.height = 3, .width = 3, .stride_h = 2, .stride_w = 2, .pad_h = 1, .pad_w = 1});
    std::int32_t layer = 0;
    for (std::size_t grid = 0; grid < size_.blocks.size(); ++grid) {
      for (std::int64_t i = 0; i < size_.blocks[grid]; ++i) {
        b_.SetLayer(++layer);
        const GraphBuilder::Scope scope(
            b_, "block" + std::to_string(grid + 1) + "_" + std::to_string(i));
        x = Block(x, std::int64_t{64} << grid, i == 0 && grid > 0 ? 2 : 1);
      }
    }
    b_.SetLayer(layer + 1);
    const Tensor logits = DenseLayer(b_, "logits", b_.Reduce("Mean", x, {2, 3}), kImageNetClasses);
    return AddWeightLoss(b_, MeanCrossEntropy(b_, logits, labels), units_.filters(), optimizer_);
  }

 private:
  // 1×1, 3×3 and 1×1 convolutions beside a shortcut.
  Tensor Block(const Tensor& x, std::int64_t width, std::int64_t stride) {
    const Tensor narrow = units_.ConvNormRelu("a", x, width, {});
    const Tensor mixed = units_.ConvNormRelu("b", narrow, width, FilterShape::Same(3, 3, stride));
    const Tensor wide = units_.ConvNorm("c", mixed, width * kExpansion, {});
    const bool fits = x.shape == wide.shape;
    return b_.Relu(b_.Add(
        wide, fits ? x : units_.ConvNorm("shortcut", x, width * kExpansion, {.stride = stride})));
  }

  GraphBuilder& b_;
  ConvUnits units_;
  OptimizerOptions optimizer_;
  ResnetSize size_;
};

}  // namespace

GraphPointer MakeResnet50(const std::string& graph_name, Options& options) {
  ModelOptions read(graph_name, options);
  const ResnetSize size{.batch = read.Batch({32, 32, 32}),
                        .image = read.Int("image", {224, 224, 224}, 4096),
                        .blocks = {read.Int("blocks_1", {3, 2, 1}, 64),
                                   read.Int("blocks_2", {4, 2, 1}, 64),
                                   read.Int("blocks_3", {6, 2, 1}, 64),
                                   read.Int("blocks_4", {3, 2, 1}, 64)}};
  const OptimizerOptions optimizer =
      read.Optimizer({.rule = UpdateRule::kMomentum, .decays_rate = true});
  const NormOps norm = read.Norm();
  GraphBuilder builder = StartModel(read);
  const Tensor loss = Resnet(builder, ConvUnits(builder, norm), optimizer, size).Loss();
  return FinishTraining(builder, loss, optimizer);
}

}  // namespace opyard::graphs
