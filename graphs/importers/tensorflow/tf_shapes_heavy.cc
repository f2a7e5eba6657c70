// Products and recurrent layers.
#include <algorithm>

#include "graphs/importers/tensorflow/tf_einsum.h"
#include "graphs/importers/tensorflow/tf_shape_rules.h"

namespace opyard::graphs {
namespace {

// MatMul says transpose, BatchMatMul adj.
bool IsTransposed(const TfOp& op, std::string_view side) {
  const bool is_left = side == "a";
  return op.attributes.Bool(is_left ? "transpose_a" : "transpose_b", false) ||
         op.attributes.Bool(is_left ? "adj_x" : "adj_y", false);
}

// Rows of a matrix of which only the number of elements is known: what a flattened image becomes.
std::optional<Shape> RowsOf(const TfOp& op) {
  const Shape* right = op.ShapeOf(1);
  if (op.inputs.empty() || !op.inputs[0]->num_elements.has_value() || right == nullptr ||
      right->size() != 2) {
    return std::nullopt;
  }
  const bool is_transposed = IsTransposed(op, "b");
  const std::int64_t k = (*right)[is_transposed ? 1 : 0];
  const std::int64_t count = *op.inputs[0]->num_elements;
  if (k == 0 || count % k != 0) {
    return std::nullopt;
  }
  return StaticShape(Shape{count / k, (*right)[is_transposed ? 0 : 1]});
}

// [..., m, n] of two matrices, without what stands before them.
std::optional<Shape> MatrixOf(const TfOp& op) {
  const Shape* left = op.ShapeOf(0);
  const Shape* right = op.ShapeOf(1);
  if (left == nullptr || right == nullptr || left->size() < 2 || right->size() < 2) {
    return std::nullopt;
  }
  const bool flips_left = IsTransposed(op, "a");
  const bool flips_right = IsTransposed(op, "b");
  const std::int64_t k = (*left)[left->size() - (flips_left ? 2 : 1)];
  const std::int64_t inner = (*right)[right->size() - (flips_right ? 1 : 2)];
  if (k != inner) {
    return std::nullopt;
  }
  return Shape{(*left)[left->size() - (flips_left ? 1 : 2)],
               (*right)[right->size() - (flips_right ? 2 : 1)]};
}

}  // namespace

TfShapes ShapeOfMatMul(const TfOp& op) {
  TfShapes shapes{op.ShapeOf(0) == nullptr ? RowsOf(op) : MatrixOf(op)};
  if (op.type.starts_with("Quantized") && op.type != "QuantizedMatMulWithBiasAndDequantize") {
    shapes.resize(3, Shape());
  }
  return shapes;
}

TfShapes ShapeOfBatchMatMul(const TfOp& op) {
  const std::optional<Shape> matrix = MatrixOf(op);
  if (!matrix.has_value()) {
    return {std::nullopt};
  }
  const Shape& left = *op.ShapeOf(0);
  const Shape& right = *op.ShapeOf(1);
  std::optional<Shape> shape =
      BroadcastShape(Shape(left.begin(), left.end() - 2), Shape(right.begin(), right.end() - 2));
  if (shape.has_value()) {
    shape->insert(shape->end(), matrix->begin(), matrix->end());
  }
  return {shape};
}

TfShapes ShapeOfEinsum(const TfOp& op) {
  std::vector<Shape> shapes;
  for (std::size_t i = 0; i < op.inputs.size(); ++i) {
    const Shape* shape = op.ShapeOf(i);
    if (shape == nullptr) {
      return {std::nullopt};
    }
    shapes.push_back(*shape);
  }
  const auto sum = ParseEinsum(op.attributes.Text("equation"), shapes);
  return {sum.has_value() ? std::optional(sum->result) : std::nullopt};
}

// input [time, batch, in] (time_major), hidden state [layers · directions, batch, hidden].
TfShapes ShapesOfCudnnRnn(const TfOp& op) {
  const Shape* input = op.ShapeOf(0);
  const Shape* hidden = op.ShapeOf(1);
  if (input == nullptr || hidden == nullptr || input->size() != 3 || hidden->size() != 3) {
    return {std::nullopt, std::nullopt, std::nullopt, std::nullopt, std::nullopt};
  }
  const std::int64_t directions = op.attributes.Text("direction") == "bidirectional" ? 2 : 1;
  const std::optional<Shape> cell =
      op.attributes.Text("rnn_mode").empty() || op.attributes.Text("rnn_mode") == "lstm"
          ? std::optional(*hidden)
          : Shape();
  return {
      Shape{(*input)[0], (*input)[1], (*hidden)[2] * directions}, *hidden, cell, Shape(), Shape()};
}

// The gradients of input, input_h, input_c and params, the first four inputs.
TfShapes ShapesOfCudnnRnnBackprop(const TfOp& op) {
  TfShapes shapes = ShapesOfEach(op);
  shapes.resize(4);
  return shapes;
}

// seq_len_max, x [time, batch, in], cs_prev [batch, cell], …: seven outputs [time, batch, cell].
TfShapes ShapesOfBlockLstm(const TfOp& op) {
  const Shape* x = op.ShapeOf(1);
  const Shape* cell = op.ShapeOf(2);
  if (x == nullptr || cell == nullptr || x->size() != 3 || cell->size() != 2) {
    return TfShapes(7);
  }
  return TfShapes(7, Shape{(*x)[0], (*x)[1], (*cell)[1]});
}

}  // namespace opyard::graphs
