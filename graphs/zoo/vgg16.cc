// VGG-16 (Simonyan & Zisserman, arXiv:1409.1556): thirteen 3×3 convolutions in five stages, three
// dense layers with dropout. SGD with momentum and an L2 loss of the weights.
//
// Options at full, small and tiny scale:
//
// `batch`  32    32     32     images;
// `image`  224   224    224    height and width, at least 32.
//
// `updates`: primitive at full scale, else fused; `optimizer`: momentum.
#include <array>

#include "graphs/zoo/conv_unit.h"
#include "graphs/zoo/models.h"
#include "graphs/zoo/training_step.h"
#include "sim/base/error.h"

namespace opyard::graphs {
namespace {

constexpr std::int64_t kDenseWidth = 4096;

struct VggStage {
  std::int64_t filters = 0;
  int num_convs = 0;
};
constexpr std::array<VggStage, 5> kStages = {{{64, 2}, {128, 2}, {256, 3}, {512, 3}, {512, 3}}};

Tensor ConvBiasRelu(GraphBuilder& b,
                    ConvUnits& units,
                    const std::string& name,
                    const Tensor& x,
                    std::int64_t filters) {
  const Tensor convolved = units.Conv(name, x, filters, FilterShape::Same(3, 3));
  const GraphBuilder::Scope scope(b, name);
  return b.Relu(b.BiasAdd(convolved, b.Weight("bias", {filters}), 1));
}

Tensor Loss(GraphBuilder& b,
            const OptimizerOptions& optimizer,
            std::int64_t batch,
            std::int64_t image) {
  ConvUnits units(b, NormOps::kFused);
  std::int32_t layer = 0;
  b.SetLayer(layer);
  Tensor x = b.Placeholder("images", {batch, 3, image, image}, sim::DType::kF32);
  const Tensor labels = b.Placeholder("labels", {batch}, sim::DType::kI32);
  for (std::size_t stage = 0; stage < kStages.size(); ++stage) {
    for (int i = 0; i < kStages[stage].num_convs; ++i) {
      b.SetLayer(layer++);
      const std::string name = "conv" + std::to_string(stage + 1) + "_" + std::to_string(i + 1);
      x = ConvBiasRelu(b, units, name, x, kStages[stage].filters);
    }
    x = b.Pool("MaxPool", x, {.height = 2, .width = 2, .stride_h = 2, .stride_w = 2});
  }
  x = b.Reshape(x, {batch, x.shape[1] * x.shape[2] * x.shape[3]});
  for (const char* name : {"dense1", "dense2"}) {
    b.SetLayer(layer++);
    x = b.Dropout(b.Relu(DenseLayer(b, name, x, kDenseWidth)));
  }
  b.SetLayer(layer);
  const Tensor logits = DenseLayer(b, "logits", x, kImageNetClasses);
  return AddWeightLoss(b, MeanCrossEntropy(b, logits, labels), units.filters(), optimizer);
}

}  // namespace

GraphPointer MakeVgg16(const std::string& graph_name, Options& options) {
  ModelOptions read(graph_name, options);
  const std::int64_t batch = read.Batch({32, 32, 32});
  const std::int64_t image = read.Int("image", {224, 224, 224}, 4096);
  if (image < 32) {
    throw InputError("option image: found " + std::to_string(image) + ", expected at least 32");
  }
  const OptimizerOptions optimizer =
      read.Optimizer({.rule = UpdateRule::kMomentum, .decays_rate = true});
  GraphBuilder builder = StartModel(read);
  const Tensor loss = Loss(builder, optimizer, batch, image);
  return FinishTraining(builder, loss, optimizer);
}

}  // namespace opyard::graphs
