// U-Net (Ronneberger et al., arXiv:1505.04597): a path of unpadded 3×3 convolutions that halves the
// grid four times, and one that doubles it again; each grid of the first is cropped and joined to
// the second. Dropout at the bottom; loss at each place. SGD with momentum. 31.03 M parameters at
// full scale.
//
// Options at full, small and tiny scale:
//
// `depth`     4     4      4      halvings of the grid;
// `filters`   64    64     32     of the first convolutions; doubled at each halving;
// `image`     572   572    572    height and width;
// `channels`  1     1      1      of the image;
// `batch`     4     4      4      images.
//
// `updates`: primitive at full scale, else fused; `optimizer`: momentum.
#include "graphs/zoo/conv_unit.h"
#include "graphs/zoo/models.h"
#include "graphs/zoo/training_step.h"
#include "sim/base/error.h"

namespace opyard::graphs {
namespace {

constexpr std::int64_t kClasses = 2;

struct UnetSize {
  std::int64_t depth = 0;
  std::int64_t filters = 0;
  std::int64_t image = 0;
  std::int64_t channels = 0;
  std::int64_t batch = 0;
};

class Unet {
 public:
  Unet(GraphBuilder& builder, const UnetSize& size)
      : b_(builder), units_(builder, NormOps::kFused), size_(size) {}

  Tensor Loss() {
    b_.SetLayer(0);
    Tensor x = b_.Placeholder(
        "images", {size_.batch, size_.channels, size_.image, size_.image}, sim::DType::kF32);
    std::vector<Tensor> skips;
    std::int64_t filters = size_.filters;
    std::int32_t layer = 0;
    for (std::int64_t i = 0; i < size_.depth; ++i, filters *= 2) {
      b_.SetLayer(layer++);
      skips.push_back(TwoConvs("down" + std::to_string(i), x, filters));
      x = b_.Pool("MaxPool", skips.back(), {.height = 2, .width = 2, .stride_h = 2, .stride_w = 2});
    }
    b_.SetLayer(layer++);
    x = b_.Dropout(TwoConvs("bottom", x, filters));
    for (std::int64_t i = size_.depth; i-- > 0;) {
      b_.SetLayer(layer++);
      filters /= 2;
      const std::string name = "up" + std::to_string(i);
      const Tensor wide = Double(name, x, filters);
      x = TwoConvs(name, Join(skips[static_cast<std::size_t>(i)], wide), filters);
    }
    return PlaceLoss(ConvBias("classes", x, kClasses, {}));
  }

 private:
  Tensor ConvBias(const std::string& name,
                  const Tensor& x,
                  std::int64_t filters,
                  const FilterShape& shape) {
    const Tensor convolved = units_.Conv(name, x, filters, shape);
    const GraphBuilder::Scope scope(b_, name);
    return b_.BiasAdd(convolved, b_.Weight("bias", {filters}), 1);
  }

  Tensor TwoConvs(const std::string& name, const Tensor& x, std::int64_t filters) {
    const GraphBuilder::Scope scope(b_, name);
    const Tensor first = b_.Relu(ConvBias("a", x, filters, {3, 3}));
    return b_.Relu(ConvBias("b", first, filters, {3, 3}));
  }

  // A transposed 2×2 convolution with stride 2.
  Tensor Double(const std::string& name, const Tensor& x, std::int64_t filters) {
    const GraphBuilder::Scope scope(b_, name + "/double");
    const Tensor kernel = b_.Weight("kernel", {x.shape[1], filters, 2, 2});
    const Shape result = {x.shape[0], filters, 2 * x.shape[2], 2 * x.shape[3]};
    const Tensor grown = b_.ConvTranspose(x, kernel, {.stride_h = 2, .stride_w = 2}, result);
    return b_.BiasAdd(grown, b_.Weight("bias", {filters}), 1);
  }

  // The middle of `skip` beside `x`.
  Tensor Join(const Tensor& skip, const Tensor& x) {
    const std::int64_t top = (skip.shape[2] - x.shape[2]) / 2;
    const std::int64_t left = (skip.shape[3] - x.shape[3]) / 2;
    const Shape size = {skip.shape[0], skip.shape[1], x.shape[2], x.shape[3]};
    return b_.Concat({b_.Slice(skip, {0, 0, top, left}, size), x}, 1);
  }

  Tensor PlaceLoss(const Tensor& logits) {
    const std::int64_t places = logits.shape[0] * logits.shape[2] * logits.shape[3];
    const Tensor labels = b_.Placeholder("labels", {places}, sim::DType::kI32);
    const Tensor last = b_.Transpose(logits, {0, 2, 3, 1});
    return MeanCrossEntropy(b_, b_.Reshape(last, {places, kClasses}), labels);
  }

  GraphBuilder& b_;
  ConvUnits units_;
  UnetSize size_;
};

// Each grid must be even where it is halved, and something must be left at the end.
void CheckImage(const UnetSize& size) {
  std::int64_t grid = size.image;
  for (std::int64_t i = 0; i < size.depth; ++i) {
    grid -= 4;
    if (grid < 2 || grid % 2 != 0) {
      throw InputError("option image: found " + std::to_string(size.image) +
                       ", expected a size whose grids can be halved " + std::to_string(size.depth) +
                       " times, such as 572 for 4");
    }
    grid /= 2;
  }
  for (std::int64_t i = 0; i <= size.depth; ++i) {
    grid = (grid - 4) * (i < size.depth ? 2 : 1);
  }
  if (grid < 1) {
    throw InputError("option image: found " + std::to_string(size.image) +
                     ", too small for depth " + std::to_string(size.depth));
  }
}

}  // namespace

GraphPointer MakeUnet(const std::string& graph_name, Options& options) {
  ModelOptions read(graph_name, options);
  const UnetSize size{.depth = read.Int("depth", {4, 4, 4}, 8),
                      .filters = read.Int("filters", {64, 64, 32}, 1024),
                      .image = read.Int("image", {572, 572, 572}, 65536),
                      .channels = read.Int("channels", {1, 1, 1}, 1024),
                      .batch = read.Batch({4, 4, 4})};
  CheckImage(size);
  const OptimizerOptions optimizer = read.Optimizer({.rule = UpdateRule::kMomentum});
  GraphBuilder builder = StartModel(read);
  const Tensor loss = Unet(builder, size).Loss();
  return FinishTraining(builder, loss, optimizer);
}

}  // namespace opyard::graphs
