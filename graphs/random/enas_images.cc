#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "graphs/random/enas_cells.h"
#include "graphs/zoo/conv_unit.h"

namespace opyard::graphs {
namespace {

constexpr std::int64_t kImage = 32;
constexpr std::int64_t kClasses = 10;

enum class CellOp : std::uint8_t { kSeparable3, kSeparable5, kAvgPool, kMaxPool, kIdentity };
constexpr std::uint64_t kNumCellOps = 5;

// An operation on a state of the cell: 0 is the result before the last, 1 the last, i + 2 node i.
struct CellEdge {
  std::size_t state = 0;
  CellOp op = CellOp::kIdentity;
};

// Node i adds its two edges.
using Cell = std::vector<std::array<CellEdge, 2>>;

// The first edge reads the last result, so that no cell is skipped.
Cell SampleImageCell(std::int64_t nodes, Rng& rng) {
  Cell cell(static_cast<std::size_t>(nodes));
  for (std::size_t i = 0; i < cell.size(); ++i) {
    for (CellEdge& edge : cell[i]) {
      edge.state = static_cast<std::size_t>(rng.Below(i + 2));
      edge.op = static_cast<CellOp>(rng.Below(kNumCellOps));
    }
  }
  cell[0][0].state = 1;
  return cell;
}

// The number of edges that read each state.
std::vector<int> ReadersOf(const Cell& cell) {
  std::vector<int> readers(cell.size() + 2);
  for (const auto& node : cell) {
    for (const CellEdge& edge : node) {
      ++readers[edge.state];
    }
  }
  return readers;
}

class ImageNetwork {
 public:
  ImageNetwork(GraphBuilder& builder, const ImageCellSize& size)
      : b_(builder), units_(builder, NormOps::kFused), size_(size), filters_(size.filters) {}

  Tensor Loss(Rng& rng) {
    const Cell normal = SampleImageCell(size_.nodes, rng);
    const Cell reduction = SampleImageCell(size_.nodes, rng);
    b_.SetLayer(0);
    const Tensor images =
        b_.Placeholder("images", {size_.batch, 3, kImage, kImage}, sim::DType::kF32);
    const Tensor labels = b_.Placeholder("labels", {size_.batch}, sim::DType::kI32);
    now_ = units_.ConvNorm("stem", images, 3 * filters_, FilterShape::Same(3, 3));
    before_ = now_;
    for (std::int64_t i = 0; i < size_.layers; ++i) {
      if (i > 0 && i % (size_.layers / 3) == 0) {
        filters_ *= 2;
        AddCell(reduction, 2);
      }
      AddCell(normal, 1);
    }
    b_.SetLayer(++layer_);
    const Tensor features = b_.Reduce("Mean", b_.Relu(now_), {2, 3});
    return MeanCrossEntropy(b_, DenseLayer(b_, "logits", features, kClasses), labels);
  }

 private:
  void AddCell(const Cell& cell, std::int64_t stride) {
    b_.SetLayer(++layer_);
    const GraphBuilder::Scope scope(b_, "cell" + std::to_string(layer_));
    const std::vector<int> readers = ReadersOf(cell);
    std::vector<Tensor> states(2);
    if (readers[0] > 0) {  // where only a reduction lies between, on the last result's grid
      states[0] = ConvUnit("before", before_, before_.shape[2] / now_.shape[2]);
    }
    states[1] = ConvUnit("last", now_, 1);
    for (const auto& [left, right] : cell) {
      const Tensor a = Apply(left, states, stride);
      const Tensor b = Apply(right, states, stride);
      states.push_back(b_.Add(a, b));
    }
    std::vector<Tensor> ends;
    for (std::size_t state = 2; state < states.size(); ++state) {
      if (readers[state] == 0) {
        ends.push_back(states[state]);
      }
    }
    before_ = now_;
    now_ = ends.size() == 1 ? ends[0] : b_.Concat(ends, 1);
  }

  Tensor ConvUnit(const std::string& name, const Tensor& x, std::int64_t stride) {
    return units_.ConvNorm(name, b_.Relu(x), filters_, {.stride = stride});
  }

  Tensor Separable(const Tensor& x, std::int64_t length, std::int64_t stride) {
    const std::string name = "separable" + std::to_string(length);
    const FilterShape shape = FilterShape::Same(length, length, stride);
    const Tensor convolved = units_.SeparableConv(name, b_.Relu(x), filters_, shape);
    return units_.Norm(name + "/norm", convolved);
  }

  Tensor Pool(std::string_view type, const Tensor& x, std::int64_t stride) {
    return b_.Pool(
        type,
        x,
        {.height = 3, .width = 3, .stride_h = stride, .stride_w = stride, .pad_h = 1, .pad_w = 1});
  }

  // In a reduction, what reads the cell's inputs halves the grid; the identity is a convolution
  // then.
  Tensor Apply(const CellEdge& edge, const std::vector<Tensor>& states, std::int64_t reduction) {
    const Tensor& x = states[edge.state];
    const std::int64_t stride = edge.state < 2 ? reduction : 1;
    switch (edge.op) {
      case CellOp::kSeparable3:
        return Separable(x, 3, stride);
      case CellOp::kSeparable5:
        return Separable(x, 5, stride);
      case CellOp::kAvgPool:
        return Pool("AvgPool", x, stride);
      case CellOp::kMaxPool:
        return Pool("MaxPool", x, stride);
      case CellOp::kIdentity:
        break;
    }
    return stride == 1 ? x : ConvUnit("identity", x, stride);
  }

  GraphBuilder& b_;
  ConvUnits units_;
  ImageCellSize size_;
  std::int64_t filters_;
  std::int32_t layer_ = 0;
  Tensor now_;     // the last cell's result
  Tensor before_;  // the one before
};

}  // namespace

Tensor BuildImageCells(GraphBuilder& builder, const ImageCellSize& size, Rng& rng) {
  return ImageNetwork(builder, size).Loss(rng);
}

}  // namespace opyard::graphs
