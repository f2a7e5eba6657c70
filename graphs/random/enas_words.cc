#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "graphs/random/enas_cells.h"

namespace opyard::graphs {
namespace {

constexpr std::array<std::string_view, 4> kActivations = {"Tanh", "Relu", "Sigmoid", "Identity"};

// A node beyond the first: the earlier one that it reads, and its activation.
struct CellNode {
  std::size_t input = 0;
  std::string_view activation;
};

// The recurrent cell: nodes 1, 2, … in order; node 0 is the same in all cells.
std::vector<CellNode> SampleWordCell(std::int64_t nodes, Rng& rng) {
  std::vector<CellNode> cell;
  for (std::uint64_t i = 1; i < static_cast<std::uint64_t>(nodes); ++i) {
    const auto input = static_cast<std::size_t>(rng.Below(i));
    cell.push_back({.input = input, .activation = kActivations[rng.Below(kActivations.size())]});
  }
  return cell;
}

class WordNetwork {
 public:
  WordNetwork(GraphBuilder& builder, const WordCellSize& size) : b_(builder), size_(size) {}

  Tensor Loss(Rng& rng) {
    cell_ = SampleWordCell(size_.nodes, rng);
    b_.SetLayer(0);
    const Tensor words = b_.Placeholder("words", {size_.batch, size_.seq}, sim::DType::kI32);
    const Tensor targets = b_.Placeholder("targets", {size_.batch, size_.seq}, sim::DType::kI32);
    const Tensor table = b_.Weight("embedding", {size_.vocab, size_.hidden});
    const std::vector<Tensor> inputs = b_.Unpack(b_.Gather(table, words), 1);
    const std::vector<Tensor> labels = b_.Unpack(targets, 1);
    AddWeights();
    Tensor state = b_.Constant("state", {size_.batch, size_.hidden});
    std::vector<Tensor> losses;
    for (std::size_t step = 0; step < inputs.size(); ++step) {
      b_.SetLayer(1);
      state = Step(inputs[step], state);
      losses.push_back(StepLoss(state, labels[step]));
    }
    return b_.Reduce("Mean", b_.AddN(losses), {0});
  }

 private:
  void AddWeights() {
    b_.SetLayer(1);
    kernels_.push_back(b_.Weight("node0/kernel", {2 * size_.hidden, 2 * size_.hidden}));
    for (std::size_t i = 1; i <= cell_.size(); ++i) {
      kernels_.push_back(
          b_.Weight("node" + std::to_string(i) + "/kernel", {size_.hidden, 2 * size_.hidden}));
    }
    b_.SetLayer(2);
    projection_ = b_.Weight("projection/kernel", {size_.hidden, size_.vocab});
    bias_ = b_.Weight("projection/bias", {size_.vocab});
  }

  // The state behind `word` [batch, hidden].
  Tensor Step(const Tensor& word, const Tensor& state) {
    const GraphBuilder::Scope scope(b_, "cell");
    std::vector<Tensor> nodes = {Gate(b_.Concat({word, state}, 1), state, 0, "Tanh")};
    std::vector<bool> is_read(cell_.size() + 1);
    for (std::size_t i = 0; i < cell_.size(); ++i) {
      const Tensor& input = nodes[cell_[i].input];
      is_read[cell_[i].input] = true;
      nodes.push_back(Gate(input, input, i + 1, cell_[i].activation));
    }
    std::vector<Tensor> ends;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      if (!is_read[i]) {
        ends.push_back(nodes[i]);
      }
    }
    return ends.size() == 1 ? ends[0] : b_.WithScalar("Mul", b_.AddN(ends), "share");
  }

  // old + c · (f(a) − old), where [c, a] = x · kernel and c goes through a sigmoid. [batch, hidden]
  Tensor Gate(const Tensor& x, const Tensor& old, std::size_t kernel, std::string_view activation) {
    const std::vector<Tensor> parts = b_.Split(b_.MatMul(x, kernels_[kernel]), 2, 1);
    const Tensor gate = b_.Sigmoid(parts[0]);
    const Tensor value = activation == "Identity" ? parts[1] : b_.Unary(activation, parts[1]);
    const Tensor difference = b_.Sub(value, old);
    return b_.Add(old, b_.Mul(gate, difference));
  }

  Tensor StepLoss(const Tensor& state, const Tensor& label) {
    b_.SetLayer(2);
    const GraphBuilder::Scope scope(b_, "projection");
    return b_.CrossEntropy(b_.BiasAdd(b_.MatMul(state, projection_), bias_, 1), label);
  }

  GraphBuilder& b_;
  WordCellSize size_;
  std::vector<CellNode> cell_;
  std::vector<Tensor> kernels_;  // of node i: [2 · hidden, 2 · hidden], then [hidden, 2 · hidden]
  Tensor projection_;
  Tensor bias_;
};

}  // namespace

Tensor BuildWordCells(GraphBuilder& builder, const WordCellSize& size, Rng& rng) {
  return WordNetwork(builder, size).Loss(rng);
}

}  // namespace opyard::graphs
