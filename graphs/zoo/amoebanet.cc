// AmoebaNet-D (Real et al., arXiv:1802.01548, with the cells and sizes used for GPipe, Huang et
// al., arXiv:1811.06965): a stem, two reduction cells, then three runs of normal cells with
// reductions between them. A cell joins five pairwise sums of operations on earlier states. RMSProp
// with momentum and an L2 loss of the filters. 82 M parameters with 18 layers and 208 filters.
//
// Options at full, small and tiny scale:
//
// `layers`      18    3      3      normal cells, a multiple of 3;
// `filters`     208   64     64     a quarter of them are the channels of the stem;
// `stem`        2     1      0      reduction cells of the stem;
// `reductions`  2     0      0      runs after the first one, each behind a reduction;
// `image`       224   224    224    height and width, at least 64;
// `batch`       64    32     32     images.
//
// `norm`, `updates`: primitive at full scale, else fused; `optimizer`: rmsprop.
#include <array>

#include "graphs/zoo/conv_unit.h"
#include "graphs/zoo/models.h"
#include "graphs/zoo/training_step.h"
#include "sim/base/error.h"

namespace opyard::graphs {
namespace {

enum class CellOp : std::uint8_t {
  kNone,
  kAvgPool3,
  kMaxPool2,
  kMaxPool3,
  kConv1,
  kConv3,  // through a quarter of the channels
  kConv7,  // the same with a row and a column of seven
};

// An operation on one state of the cell; states 0 and 1 are its inputs, 2 to 6 its sums.
struct CellEdge {
  std::size_t state;
  CellOp op;
};

struct CellPlan {
  std::array<CellEdge, 10> edges;   // edges 2i and 2i + 1 make state i + 2
  std::array<std::size_t, 4> ends;  // the states that are joined; the first ones of `num_ends`
  std::size_t num_ends;
};

constexpr CellPlan kNormalCell = {.edges = {{{1, CellOp::kConv1},
                                             {1, CellOp::kMaxPool3},
                                             {1, CellOp::kNone},
                                             {0, CellOp::kConv7},
                                             {0, CellOp::kConv1},
                                             {0, CellOp::kConv7},
                                             {2, CellOp::kMaxPool3},
                                             {2, CellOp::kNone},
                                             {1, CellOp::kAvgPool3},
                                             {5, CellOp::kConv1}}},
                                  .ends = {0, 3, 4, 6},
                                  .num_ends = 4};
constexpr CellPlan kReductionCell = {.edges = {{{0, CellOp::kMaxPool2},
                                                {0, CellOp::kMaxPool3},
                                                {2, CellOp::kNone},
                                                {1, CellOp::kConv3},
                                                {2, CellOp::kConv7},
                                                {2, CellOp::kMaxPool3},
                                                {3, CellOp::kNone},
                                                {1, CellOp::kMaxPool2},
                                                {2, CellOp::kAvgPool3},
                                                {3, CellOp::kConv1}}},
                                     .ends = {4, 5, 6},
                                     .num_ends = 3};

struct AmoebanetSize {
  std::int64_t layers = 0;
  std::int64_t filters = 0;
  std::int64_t stem = 0;
  std::int64_t reductions = 0;
  std::int64_t image = 0;
  std::int64_t batch = 0;
};

class Amoebanet {
 public:
  Amoebanet(GraphBuilder& builder,
            ConvUnits units,
            const OptimizerOptions& optimizer,
            const AmoebanetSize& size)
      : b_(builder),
        units_(std::move(units)),
        optimizer_(optimizer),
        size_(size),
        channels_(size.filters / 4) {}

  Tensor Loss() {
    b_.SetLayer(0);
    const Tensor images =
        b_.Placeholder("images", {size_.batch, 3, size_.image, size_.image}, sim::DType::kF32);
    const Tensor labels = b_.Placeholder("labels", {size_.batch}, sim::DType::kI32);
    now_ = units_.ConvNorm("stem", images, channels_, {3, 3, 2, 1, 1});
    before_ = now_;
    for (std::int64_t i = 0; i < size_.stem; ++i) {
      Reduce();
    }
    for (std::int64_t run = 0; run <= size_.reductions; ++run) {
      if (run > 0) {
        Reduce();
      }
      for (std::int64_t i = 0; i < size_.layers / 3; ++i) {
        RunCell(kNormalCell, 1);
      }
    }
    b_.SetLayer(++layer_);
    const Tensor features = b_.Reduce("Mean", now_, {2, 3});
    const Tensor loss =
        MeanCrossEntropy(b_, DenseLayer(b_, "logits", features, kImageNetClasses), labels);
    return AddWeightLoss(b_, loss, units_.filters(), optimizer_);
  }

 private:
  void Reduce() {
    channels_ *= 2;
    RunCell(kReductionCell, 2);
  }

  // Reads the last two cells' results; the new one becomes the last.
  void RunCell(const CellPlan& plan, std::int64_t stride) {
    b_.SetLayer(++layer_);
    const GraphBuilder::Scope scope(b_, "cell" + std::to_string(layer_));
    std::vector<Tensor> states;
    states.push_back(ReluConvNorm("input", now_, channels_, {}));
    states.push_back(FitBefore());
    for (std::size_t i = 0; i < plan.edges.size(); i += 2) {
      const Tensor left = Apply(plan.edges[i], states, stride);
      const Tensor right = Apply(plan.edges[i + 1], states, stride);
      states.push_back(b_.Add(left, right));
    }
    std::vector<Tensor> ends;
    for (std::size_t i = 0; i < plan.num_ends; ++i) {
      ends.push_back(states[plan.ends[i]]);
    }
    before_ = now_;
    now_ = b_.Concat(ends, 1);
  }

  // The result before the last one, on the grid of the last and with the cell's channels.
  Tensor FitBefore() {
    if (before_.shape[2] != now_.shape[2]) {
      return HalveGrid("before", before_);
    }
    return before_.shape[1] == channels_ ? before_ : ReluConvNorm("before", before_, channels_, {});
  }

  Tensor Apply(const CellEdge& edge, const std::vector<Tensor>& states, std::int64_t reduction) {
    const Tensor& x = states[edge.state];
    const std::int64_t stride = edge.state < 2 ? reduction : 1;
    switch (edge.op) {
      case CellOp::kNone:
        return stride == 1 ? x : HalveGrid("halve", x);
      case CellOp::kAvgPool3:
        return Pool("AvgPool", x, 3, stride);
      case CellOp::kMaxPool2:
        return Pool("MaxPool", x, 2, stride);
      case CellOp::kMaxPool3:
        return Pool("MaxPool", x, 3, stride);
      case CellOp::kConv1:
        return ReluConvNorm("conv1", x, channels_, {.stride = stride});
      case CellOp::kConv3:
        return Narrow("conv3", x, {FilterShape::Same(3, 3, stride)});
      case CellOp::kConv7:
        break;
    }
    return Narrow("conv7", x, {FilterShape::Same(1, 7, stride), FilterShape::Same(7, 1)});
  }

  Tensor Pool(std::string_view type, const Tensor& x, std::int64_t length, std::int64_t stride) {
    const std::int64_t pad = length / 2 * (length % 2);  // windows of 2 stand side by side
    return b_.Pool(type,
                   x,
                   {.height = length,
                    .width = length,
                    .stride_h = stride,
                    .stride_w = stride,
                    .pad_h = pad,
                    .pad_w = pad});
  }

  Tensor ReluConvNorm(const std::string& name,
                      const Tensor& x,
                      std::int64_t filters,
                      const FilterShape& shape) {
    const Tensor active = b_.Relu(x);
    return units_.ConvNorm(name, active, filters, shape);
  }

  // Convolutions on a quarter of the channels, between two of 1×1.
  Tensor Narrow(const std::string& name, const Tensor& x, const std::vector<FilterShape>& shapes) {
    const std::int64_t narrow = channels_ / 4;
    Tensor y = ReluConvNorm(name + "/in", x, narrow, {});
    for (const FilterShape& shape : shapes) {
      y = ReluConvNorm(name + "/middle", y, narrow, shape);
    }
    return ReluConvNorm(name + "/out", y, channels_, {});
  }

  // Half of the channels from the even places, half from the odd ones.
  Tensor HalveGrid(const std::string& name, const Tensor& x) {
    const GraphBuilder::Scope scope(b_, name);
    const Tensor active = b_.Relu(x);
    const Tensor even = units_.Conv("even", active, channels_ / 2, {.stride = 2});
    const Shape size = {x.shape[0], x.shape[1], x.shape[2] - 1, x.shape[3] - 1};
    const Tensor moved = b_.Pad(b_.Slice(active, {0, 0, 1, 1}, size), {0, 0, 0, 0}, {0, 0, 1, 1});
    const Tensor odd = units_.Conv("odd", moved, channels_ - channels_ / 2, {.stride = 2});
    return units_.Norm("norm", b_.Concat({even, odd}, 1));
  }

  GraphBuilder& b_;
  ConvUnits units_;
  OptimizerOptions optimizer_;
  AmoebanetSize size_;
  std::int64_t channels_;
  std::int32_t layer_ = 0;
  Tensor now_;     // the last cell's result
  Tensor before_;  // the one before
};

void CheckSize(const AmoebanetSize& size) {
  if (size.layers % 3 != 0) {
    throw InputError("option layers: found " + std::to_string(size.layers) +
                     ", expected a multiple of 3");
  }
  if (size.filters % 16 != 0) {
    throw InputError("option filters: found " + std::to_string(size.filters) +
                     ", expected a multiple of 16");
  }
  if (size.image % 32 != 0) {
    throw InputError("option image: found " + std::to_string(size.image) +
                     ", expected a multiple of 32");
  }
}

}  // namespace

GraphPointer MakeAmoebanet(const std::string& graph_name, Options& options) {
  ModelOptions read(graph_name, options);
  const AmoebanetSize size{.layers = read.Int("layers", {18, 3, 3}, 768),
                           .filters = read.Int("filters", {208, 64, 64}, 8192),
                           .stem = read.Count("stem", {2, 1, 0}, 2),
                           .reductions = read.Count("reductions", {2, 0, 0}, 2),
                           .image = read.Int("image", {224, 224, 224}, 4096),
                           .batch = read.Batch({64, 32, 32})};
  CheckSize(size);
  const OptimizerOptions optimizer =
      read.Optimizer({.rule = UpdateRule::kRmsProp, .decays_rate = true});
  const NormOps norm = read.Norm();
  GraphBuilder builder = StartModel(read);
  const Tensor loss = Amoebanet(builder, ConvUnits(builder, norm), optimizer, size).Loss();
  return FinishTraining(builder, loss, optimizer);
}

}  // namespace opyard::graphs
