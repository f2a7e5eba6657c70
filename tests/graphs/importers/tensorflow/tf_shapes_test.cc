// Shapes that follow from placeholders, constants and attributes.
#include "tests/graphs/importers/tensorflow/graph_text.h"

namespace opyard::graphs {
namespace {

struct ShapeCase {
  const char* name;
  std::string nodes;  // of which "y" is asked for
  Integers expected;
  std::size_t port = 0;
};

void PrintTo(const ShapeCase& shape, std::ostream* out) {
  *out << shape.name;
}

class TfShapeTest : public ::testing::TestWithParam<ShapeCase> {};

TEST_P(TfShapeTest, FollowsFromTheInputs) {
  const ShapeCase& shape = GetParam();
  EXPECT_EQ(ShapeIn(Expanded(shape.nodes), "y", shape.port), shape.expected);
}

std::string X() {
  return Placeholder("x", {2, 3, 5});
}

std::string Image() {
  return Placeholder("x", {2, 7, 9, 3});
}

std::string Filter() {
  return Placeholder("f", {3, 3, 3, 4});
}

std::string Y(const std::string& op,
              const std::vector<std::string>& inputs,
              const std::string& attributes = "") {
  return Node("y", op, inputs, attributes);
}

INSTANTIATE_TEST_SUITE_P(
    Products,
    TfShapeTest,
    ::testing::Values(
        ShapeCase{"transposed",
                  Placeholder("a", {3, 2}) + Placeholder("b", {5, 3}) +
                      Y("MatMul",
                        {"a", "b"},
                        Attr("transpose_a", "b: true") + Attr("transpose_b", "b: true")),
                  {2, 5}},
        // The batch [7, 1] stretches to [7, 3].
        ShapeCase{"batch",
                  Placeholder("a", {7, 1, 2, 3}) + Placeholder("b", {3, 3, 5}) +
                      Y("BatchMatMulV2", {"a", "b"}),
                  {7, 3, 2, 5}},
        ShapeCase{"adjoint",
                  Placeholder("a", {4, 3, 2}) + Placeholder("b", {4, 3, 5}) +
                      Y("BatchMatMul", {"a", "b"}, Attr("adj_x", "b: true")),
                  {4, 2, 5}},
        ShapeCase{"einsum",
                  Placeholder("a", {2, 3, 5}) + Placeholder("b", {5, 7}) +
                      Y("Einsum", {"a", "b"}, TextAttr("equation", "...d,de->...e")),
                  {2, 3, 7}},
        ShapeCase{"quantised",
                  Placeholder("a", {2, 3}, "DT_QUINT8") + Placeholder("b", {3, 5}, "DT_QUINT8") +
                      Y("QuantizedMatMul", {"a", "b"}),
                  {2, 5}}),
    [](const auto& test) { return std::string(test.param.name); });

INSTANTIATE_TEST_SUITE_P(
    Windows,
    TfShapeTest,
    ::testing::Values(
        // ceil(7 / 2) and ceil(9 / 2)
        ShapeCase{"same",
                  Image() + Filter() +
                      Y("Conv2D",
                        {"x", "f"},
                        ListAttr("strides", {1, 2, 2, 1}) + TextAttr("padding", "SAME")),
                  {2, 4, 5, 4}},
        // (7 − 3) / 2 + 1 and (9 − 3) / 2 + 1
        ShapeCase{"valid",
                  Image() + Filter() +
                      Y("Conv2D",
                        {"x", "f"},
                        ListAttr("strides", {1, 2, 2, 1}) + TextAttr("padding", "VALID")),
                  {2, 3, 4, 4}},
        // A filter of 3 with dilation 2 spans 5: 7 − 5 + 1 and 9 − 5 + 1.
        ShapeCase{"dilated",
                  Image() + Filter() +
                      Y("Conv2D",
                        {"x", "f"},
                        ListAttr("strides", {1, 1, 1, 1}) + ListAttr("dilations", {1, 2, 2, 1}) +
                            TextAttr("padding", "VALID")),
                  {2, 3, 5, 4}},
        // 7 + 1 + 2 − 3 + 1 and 9 − 3 + 1
        ShapeCase{"padded",
                  Image() + Filter() +
                      Y("Conv2D",
                        {"x", "f"},
                        ListAttr("strides", {1, 1, 1, 1}) +
                            ListAttr("explicit_paddings", {0, 0, 1, 2, 0, 0, 0, 0}) +
                            TextAttr("padding", "EXPLICIT")),
                  {2, 8, 7, 4}},
        ShapeCase{"channels_first",
                  Placeholder("x", {2, 3, 7, 9}) + Filter() +
                      Y("Conv2D",
                        {"x", "f"},
                        ListAttr("strides", {1, 1, 1, 1}) + TextAttr("data_format", "NCHW") +
                            TextAttr("padding", "VALID")),
                  {2, 4, 5, 7}},
        // 3 channels of 2 filters each
        ShapeCase{"depthwise",
                  Image() + Placeholder("f", {3, 3, 3, 2}) +
                      Y("DepthwiseConv2dNative",
                        {"x", "f"},
                        ListAttr("strides", {1, 1, 1, 1}) + TextAttr("padding", "SAME")),
                  {2, 7, 9, 6}},
        ShapeCase{"in_three_dimensions",
                  Placeholder("x", {1, 5, 7, 9, 2}) + Placeholder("f", {2, 3, 3, 2, 8}) +
                      Y("Conv3D",
                        {"x", "f"},
                        ListAttr("strides", {1, 1, 2, 2, 1}) + TextAttr("padding", "VALID")),
                  {1, 4, 3, 4, 8}},
        ShapeCase{"transposed_convolution",
                  Placeholder("g", {2, 4, 5, 4}) + Filter() + List("s", {2, 7, 9, 3}) +
                      Y("Conv2DBackpropInput", {"s", "f", "g"}),
                  {2, 7, 9, 3}},
        ShapeCase{"pool",
                  Image() + Y("MaxPool",
                              {"x"},
                              ListAttr("ksize", {1, 2, 2, 1}) + ListAttr("strides", {1, 2, 2, 1}) +
                                  TextAttr("padding", "VALID")),
                  {2, 3, 4, 3}},
        ShapeCase{"quantised",
                  Image() + Filter() +
                      Y("QuantizedConv2D",
                        {"x", "f"},
                        ListAttr("strides", {1, 1, 1, 1}) + TextAttr("padding", "SAME")),
                  {2, 7, 9, 4}}),
    [](const auto& test) { return std::string(test.param.name); });

INSTANTIATE_TEST_SUITE_P(
    Movement,
    TfShapeTest,
    ::testing::Values(
        ShapeCase{"reshape", X() + List("s", {-1, 10}) + Y("Reshape", {"x", "s"}), {3, 10}},
        ShapeCase{"transpose", X() + List("p", {2, 0, 1}) + Y("Transpose", {"x", "p"}), {5, 2, 3}},
        ShapeCase{
            "concat",
            X() + Placeholder("z", {2, 4, 5}) + Scalar("a", -2) + Y("ConcatV2", {"x", "z", "a"}),
            {2, 7, 5}},
        ShapeCase{"old_concat",
                  X() + Placeholder("z", {2, 4, 5}) + Scalar("a", 1) + Y("Concat", {"a", "x", "z"}),
                  {2, 7, 5}},
        ShapeCase{"split",
                  Placeholder("x", {2, 6}) + Scalar("a", 1) +
                      Y("Split", {"a", "x"}, IntegerAttr("num_split", 3)),
                  {2, 2},
                  2},
        // 6 − 1 − 2 are left.
        ShapeCase{"split_by_sizes",
                  Placeholder("x", {2, 6}) + List("s", {1, -1, 2}) + Scalar("a", 1) +
                      Y("SplitV", {"x", "s", "a"}, IntegerAttr("num_split", 3)),
                  {2, 3},
                  1},
        ShapeCase{"pack", X() + Y("Pack", {"x", "x"}, IntegerAttr("axis", 1)), {2, 2, 3, 5}},
        ShapeCase{"unpack",
                  X() + Y("Unpack", {"x"}, IntegerAttr("axis", 1) + IntegerAttr("num", 3)),
                  {2, 5},
                  2},
        ShapeCase{"slice",
                  X() + List("b", {1, 0, 2}) + List("s", {1, -1, -1}) + Y("Slice", {"x", "b", "s"}),
                  {1, 3, 3}},
        // x[::-1, tf.newaxis, ..., 1]
        ShapeCase{"strided_slice",
                  X() + List("b", {0, 0, 0, 1}) + List("e", {0, 0, 0, 2}) +
                      List("s", {-1, 1, 1, 1}) +
                      Y("StridedSlice",
                        {"x", "b", "e", "s"},
                        IntegerAttr("begin_mask", 1) + IntegerAttr("end_mask", 1) +
                            IntegerAttr("new_axis_mask", 2) + IntegerAttr("ellipsis_mask", 4) +
                            IntegerAttr("shrink_axis_mask", 8)),
                  {2, 1, 3}},
        // x[:, 1:3, ::2]
        ShapeCase{"strides",
                  X() + List("b", {0, 1, 0}) + List("e", {0, 3, 0}) + List("s", {1, 1, 2}) +
                      Y("StridedSlice",
                        {"x", "b", "e", "s"},
                        IntegerAttr("begin_mask", 5) + IntegerAttr("end_mask", 5)),
                  {2, 2, 3}},
        ShapeCase{
            "squeeze",
            Placeholder("x", {1, 3, 1, 5}) + Y("Squeeze", {"x"}, ListAttr("squeeze_dims", {-2})),
            {1, 3, 5}},
        ShapeCase{"expand", X() + Scalar("a", -1) + Y("ExpandDims", {"x", "a"}), {2, 3, 5, 1}},
        ShapeCase{
            "pad",
            Placeholder("x", {2, 3}) +
                Node("p",
                     "Const",
                     {},
                     Attr("dtype", "type: DT_INT32") + Attr("value",
                                                            "tensor { dtype: DT_INT32 tensor_shape "
                                                            "{ dim { size: 2 } dim { size: 2 } } "
                                                            "int_val: [1, 2, 3, 4] }")) +
                Y("Pad", {"x", "p"}),
            {5, 10}},
        ShapeCase{
            "tile", Placeholder("x", {2, 3}) + List("m", {4, 5}) + Y("Tile", {"x", "m"}), {8, 15}},
        ShapeCase{"gather",
                  X() + Placeholder("i", {7, 8}, "DT_INT32") + Scalar("a", 1) +
                      Y("GatherV2", {"x", "i", "a"}),
                  {2, 7, 8, 5}},
        ShapeCase{"gather_batch",
                  X() + Placeholder("i", {2, 4}, "DT_INT32") + Scalar("a", 1) +
                      Y("GatherV2", {"x", "i", "a"}, IntegerAttr("batch_dims", 1)),
                  {2, 4, 5}},
        ShapeCase{"one_hot",
                  Placeholder("i", {2, 3}, "DT_INT32") + Scalar("d", 7) + Y("OneHot", {"i", "d"}),
                  {2, 3, 7}},
        ShapeCase{
            "space_to_depth",
            Placeholder("x", {2, 4, 6, 3}) + Y("SpaceToDepth", {"x"}, IntegerAttr("block_size", 2)),
            {2, 2, 3, 12}},
        ShapeCase{"depth_to_space",
                  Placeholder("x", {2, 2, 3, 12}) +
                      Y("DepthToSpace", {"x"}, IntegerAttr("block_size", 2)),
                  {2, 4, 6, 3}},
        ShapeCase{"resize",
                  Image() + List("s", {14, 18}) + Y("ResizeBilinear", {"x", "s"}),
                  {2, 14, 18, 3}}),
    [](const auto& test) { return std::string(test.param.name); });

INSTANTIATE_TEST_SUITE_P(
    Reductions,
    TfShapeTest,
    ::testing::Values(
        ShapeCase{"sum", X() + List("a", {0, -1}) + Y("Sum", {"x", "a"}), {3}},
        ShapeCase{"kept",
                  X() + List("a", {1}) + Y("Mean", {"x", "a"}, Attr("keep_dims", "b: true")),
                  {2, 1, 5}},
        ShapeCase{"argmax", X() + Scalar("a", -1) + Y("ArgMax", {"x", "a"}), {2, 3}},
        ShapeCase{"top_k", X() + Scalar("k", 4) + Y("TopKV2", {"x", "k"}), {2, 3, 4}, 1},
        ShapeCase{"cross_entropy",
                  Placeholder("x", {6, 10}) + Placeholder("l", {6}, "DT_INT32") +
                      Y("SparseSoftmaxCrossEntropyWithLogits", {"x", "l"}),
                  {6}},
        ShapeCase{
            "statistics",
            Image() + Placeholder("s", {3}) + Y("FusedBatchNormV3", {"x", "s", "s", "s", "s"}),
            {3},
            2},
        ShapeCase{"bias_gradient", Image() + Y("BiasAddGrad", {"x"}), {3}}),
    [](const auto& test) { return std::string(test.param.name); });

INSTANTIATE_TEST_SUITE_P(
    Arithmetic,
    TfShapeTest,
    ::testing::Values(
        // [x.shape[0], -1], as a layer that flattens writes it.
        ShapeCase{
            "of_shapes",
            X() + Node("s", "Shape", {"x"}) + List("b", {0}) + List("e", {1}) + List("o", {1}) +
                Node(
                    "n", "StridedSlice", {"s", "b", "e", "o"}, IntegerAttr("shrink_axis_mask", 1)) +
                Scalar("r", -1) + Node("p", "Pack", {"n", "r"}) + Y("Reshape", {"x", "p"}),
            {2, 15}},
        // Fill(Prod(Shape(x)[1:]) + 1)
        ShapeCase{
            "of_products",
            X() + Node("s", "Shape", {"x"}) + List("b", {1}) + List("e", {0}) + List("o", {1}) +
                Node("n", "StridedSlice", {"s", "b", "e", "o"}, IntegerAttr("end_mask", 1)) +
                List("a", {0}) + Node("p", "Prod", {"n", "a"}, Attr("keep_dims", "b: true")) +
                Scalar("one", 1) + Node("q", "Add", {"p", "one"}, Attr("T", "type: DT_INT32")) +
                Scalar("v", 0) + Y("Fill", {"q", "v"}),
            {16}},
        ShapeCase{"ranges",
                  Scalar("a", 3) + Scalar("b", 14) + Scalar("d", 4) + Y("Range", {"a", "b", "d"}),
                  {3}},
        // The gradient of a [3, 1] that was added to [2, 3, 5] is summed along axes 0 and 2.
        ShapeCase{"of_gradients",
                  X() + Placeholder("c", {3, 1}) + Node("s", "Shape", {"c"}) +
                      Node("t", "Shape", {"x"}) + Node("g", "BroadcastGradientArgs", {"s", "t"}) +
                      Y("Sum", {"x", "g"}),
                  {3}}),
    [](const auto& test) { return std::string(test.param.name); });

TEST(TfShapeTest, ShapesThatDoNotFitAreNotKnown) {
  const std::string nodes = Placeholder("a", {2, 3}) + Placeholder("b", {4, 5});
  EXPECT_EQ(ShapeIn(Expanded(nodes + Y("MatMul", {"a", "b"})), "y"), std::nullopt);
  EXPECT_EQ(ShapeIn(Expanded(nodes + Y("Add", {"a", "b"})), "y"), std::nullopt);
  EXPECT_EQ(ShapeIn(Expanded(nodes + List("s", {4}) + Y("Reshape", {"a", "s"})), "y"),
            std::nullopt);
}

}  // namespace
}  // namespace opyard::graphs
