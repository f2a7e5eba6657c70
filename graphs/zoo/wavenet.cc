// WaveNet (van den Oord et al., arXiv:1609.03499): layers of dilated causal convolutions with
// gates. The dilation doubles from layer to layer and starts again at 1 in each stack; what each
// layer adds to the output is summed and turned into a distribution over 256 sample values. Adam.
//
// Options at full, small and tiny scale:
//
// `stacks`    2       2      2;
// `layers`    18      10     4      in all stacks together; a multiple of `stacks`;
// `samples`   16,384  8192   4096   of a sequence;
// `residual`  64      64     64     channels between layers;
// `skip`      256     256    256    channels of the sum;
// `batch`     32      8      8      sequences.
//
// `updates`: primitive at full scale, else fused; `optimizer`: adam.
#include <optional>

#include "graphs/zoo/conv_unit.h"
#include "graphs/zoo/models.h"
#include "graphs/zoo/training_step.h"
#include "sim/base/error.h"

namespace opyard::graphs {
namespace {

constexpr std::int64_t kLevels = 256;  // of a sample

struct WavenetSize {
  std::int64_t stacks = 0;
  std::int64_t layers = 0;
  std::int64_t samples = 0;
  std::int64_t residual = 0;
  std::int64_t skip = 0;
  std::int64_t batch = 0;
};

// Activations are [batch, channels, 1, samples].
class Wavenet {
 public:
  Wavenet(GraphBuilder& builder, const WavenetSize& size) : b_(builder), size_(size) {}

  Tensor Loss() {
    b_.SetLayer(0);
    const Tensor heard =
        b_.Placeholder("samples", {size_.batch, 1, size_.samples}, sim::DType::kI32);
    const Tensor one_hot = b_.Transpose(b_.OneHot(heard, kLevels), {0, 3, 1, 2});
    Tensor x = CausalConv("input", one_hot, size_.residual, 1);
    for (std::int64_t i = 0; i < size_.layers; ++i) {
      b_.SetLayer(static_cast<std::int32_t>(i + 1));
      const GraphBuilder::Scope scope(b_, "layer" + std::to_string(i));
      const std::int64_t dilation = std::int64_t{1} << (i % (size_.layers / size_.stacks));
      x = Layer(x, dilation, i + 1 == size_.layers);
    }
    b_.SetLayer(static_cast<std::int32_t>(size_.layers + 1));
    return OutputLoss();
  }

 private:
  Tensor Conv(const std::string& name,
              const Tensor& x,
              std::int64_t filters,
              std::int64_t width,
              std::int64_t dilation) {
    const GraphBuilder::Scope scope(b_, name);
    const Tensor kernel = b_.Weight("kernel", {filters, x.shape[1], 1, width});
    const Tensor convolved = b_.Conv(x, kernel, {.dilation_w = dilation});
    return b_.BiasAdd(convolved, b_.Weight("bias", {filters}), 1);
  }

  // Each result sees its own sample and the one `dilation` before.
  Tensor CausalConv(const std::string& name,
                    const Tensor& x,
                    std::int64_t filters,
                    std::int64_t dilation) {
    return Conv(name, b_.Pad(x, {0, 0, 0, dilation}, {0, 0, 0, 0}), filters, 2, dilation);
  }

  // The last layer has no successor, so that only its share of the sum is made.
  Tensor Layer(const Tensor& x, std::int64_t dilation, bool is_last) {
    const Tensor filter = b_.Tanh(CausalConv("filter", x, size_.residual, dilation));
    const Tensor gate = b_.Sigmoid(CausalConv("gate", x, size_.residual, dilation));
    const Tensor passed = b_.Mul(filter, gate);
    const Tensor share = Conv("skip", passed, size_.skip, 1, 1);
    sum_ = sum_ ? b_.Add(*sum_, share) : share;
    return is_last ? x : b_.Add(x, Conv("residual", passed, size_.residual, 1, 1));
  }

  Tensor OutputLoss() {
    const Tensor sum = b_.Relu(*sum_);
    const Tensor mixed = b_.Relu(Conv("output1", sum, size_.skip, 1, 1));
    const Tensor logits = Conv("output2", mixed, kLevels, 1, 1);
    const std::int64_t rows = size_.batch * size_.samples;
    const Tensor labels = b_.Placeholder("labels", {rows}, sim::DType::kI32);
    const Tensor last = b_.Reshape(b_.Transpose(logits, {0, 2, 3, 1}), {rows, kLevels});
    return MeanCrossEntropy(b_, last, labels);
  }

  GraphBuilder& b_;
  WavenetSize size_;
  std::optional<Tensor> sum_;  // of the shares of the layers so far
};

// Also refuses dilations beyond 2³⁰.
void CheckStacks(const WavenetSize& size) {
  if (size.layers % size.stacks != 0 || size.layers / size.stacks > 30) {
    throw InputError("option layers: found " + std::to_string(size.layers) +
                     ", expected a multiple of stacks (" + std::to_string(size.stacks) +
                     ") with at most 30 layers in each");
  }
}

}  // namespace

GraphPointer MakeWavenet(const std::string& graph_name, Options& options) {
  ModelOptions read(graph_name, options);
  const WavenetSize size{.stacks = read.Int("stacks", {2, 2, 2}, 64),
                         .layers = read.Int("layers", {18, 10, 4}, 512),
                         .samples = read.Int("samples", {16'384, 8192, 4096}, 1'048'576),
                         .residual = read.Int("residual", {64, 64, 64}, 4096),
                         .skip = read.Int("skip", {256, 256, 256}, 4096),
                         .batch = read.Batch({32, 8, 8})};
  CheckStacks(size);
  const OptimizerOptions optimizer =
      read.Optimizer({.rule = UpdateRule::kAdam, .decays_rate = true});
  GraphBuilder builder = StartModel(read);
  const Tensor loss = Wavenet(builder, size).Loss();
  return FinishTraining(builder, loss, optimizer);
}

}  // namespace opyard::graphs
