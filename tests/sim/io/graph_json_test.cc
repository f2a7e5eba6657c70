#include "sim/io/graph_json.h"

#include <filesystem>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/base/data_root.h"
#include "sim/base/error.h"

namespace opyard::sim {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

// The example of docs/formats.md.
constexpr const char* kToy =
    R"({"format": "opyard-graph/1", "name": "toy", "origin": "hand-written",
 "ops": [
  {"name": "x",  "type": "Placeholder", "outputs": [{"bytes": 4194304, "shape": [1024, 1024], "dtype": "f32"}]},
  {"name": "mm", "type": "MatMul", "dtype": "f32", "inputs": [[0, 0]], "outputs": [{"bytes": 4194304}],
   "flops": 2147483648, "bytes_accessed": 12582912, "param_bytes": 4194304, "workspace_bytes": 0,
   "gemm": {"m": 1024, "n": 1024, "k": 1024}},
  {"name": "act", "type": "Relu", "inputs": [[1, 0]], "outputs": [{"bytes": 4194304}], "control_inputs": [0],
   "seconds": {"*": 1.0e-5}, "colocation": "g0", "device_kinds": ["gpu"], "phase": "forward", "layer": 0}]})";

std::string Refusal(const std::string& text) {
  try {
    (void)ReadGraphText(text, "f.json");
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

// A graph with the one op "a" that also has the members `rest`.
std::string OneOp(const std::string& rest) {
  return R"({"format": "opyard-graph/1", "name": "g", "ops": [{"name": "a", "type": "Relu", )" +
         rest + "}]}";
}

// A graph of two ops: "mm" with one output, and "b" with the members `rest`.
std::string SecondOp(const std::string& rest) {
  return R"({"format": "opyard-graph/1", "name": "g", "ops": [
    {"name": "mm", "type": "MatMul", "outputs": [{"bytes": 8}]},
    {"name": "b", "type": "Relu", )" +
         rest + "}]}";
}

TEST(ReadGraphTest, ReadsTheExampleOfTheFormatPage) {
  const auto graph = ReadGraphText(kToy, "toy");
  EXPECT_EQ(graph->name(), "toy");
  EXPECT_EQ(graph->origin(), "hand-written");
  ASSERT_EQ(graph->num_ops(), 3U);
  EXPECT_THAT(graph->shape(TensorId(0)), ElementsAre(1024, 1024));
  EXPECT_EQ(graph->op(OpId(1)).flops.count, 2147483648.0);
  EXPECT_EQ(graph->op(OpId(1)).bytes_accessed.count, 12582912);
  EXPECT_EQ(graph->op(OpId(1)).weight_bytes.count, 4194304);
  EXPECT_EQ(std::get<GemmShape>(*graph->work_shape(OpId(1))).n, 1024);
  const Op& act = graph->op(OpId(2));
  EXPECT_EQ(act.layer, 0);
  EXPECT_EQ(act.phase, Phase::kForward);
  EXPECT_TRUE(act.device_kinds.Contains(DeviceKind::kGpu));
  EXPECT_FALSE(act.device_kinds.Contains(DeviceKind::kCpu));
  EXPECT_THAT(graph->colocation_labels(), ElementsAre("g0"));
  EXPECT_EQ(graph->measured_times(OpId(2))[0].seconds, 1.0e-5);
}

TEST(ReadGraphTest, HeaderMayFollowTheOps) {
  const auto graph = ReadGraphText(
      R"({"ops": [{"type": "Relu", "name": "a"}], "name": "late", "format": "opyard-graph/1"})",
      "t");
  EXPECT_EQ(graph->name(), "late");
}

TEST(ReadGraphTest, ElementTypesPassBetweenOpAndOutputs) {
  // Given to the op: outputs without one follow. Given to the first output only: the op follows.
  const auto of_op = ReadGraphText(OneOp(R"("dtype": "f16", "outputs": [{"bytes": 2}])"), "t");
  EXPECT_EQ(of_op->tensor(TensorId(0)).dtype, DType::kF16);
  const auto of_output =
      ReadGraphText(OneOp(R"("outputs": [{"bytes": 2, "dtype": "bf16"}, {"bytes": 2}])"), "t");
  EXPECT_EQ(of_output->op(OpId(0)).dtype, DType::kBf16);
  EXPECT_EQ(of_output->tensor(TensorId(1)).dtype, DType::kBf16);
}

TEST(ReadGraphTest, AliasNamesAnInputOrTheParameters) {
  const auto graph = ReadGraphText(
      SecondOp(R"("inputs": [[0, 0]], "outputs": [{"bytes": 8, "alias": 0, "keep": true},
                                                 {"bytes": 4, "alias": "params"}])"),
      "t");
  EXPECT_EQ(graph->tensor(TensorId(1)).aliased, TensorId(0));
  EXPECT_TRUE(graph->tensor(TensorId(1)).keep);
  EXPECT_TRUE(graph->aliases_params(TensorId(2)));
}

TEST(WriteGraphTest, WhatIsWrittenReadsBackEqual) {
  const std::string everything = SecondOp(
      R"("inputs": [[0, 0], [0, 0]], "control_inputs": [0], "dtype": "f16",
         "outputs": [{"bytes": 8, "shape": [2, 0], "dtype": "i64", "alias": 1, "keep": true},
                     {"bytes": 0, "alias": "params"}],
         "flops": 0.1, "bytes_accessed": 3, "param_bytes": 5, "weight_bytes": 2, "workspace_bytes": 7,
         "phase": "update", "layer": -1, "colocation": "\"é\n", "device_kinds": ["cpu", "tpu"],
         "fusion_class": "opaque", "seconds": {"gpu": 3.3e-7, "*": 0},
         "conv": {"pass": "backward_weight", "n": 1, "c": 4, "h": 5, "w": 6, "k": 2, "r": 3, "s": 3,
                  "pad_h": 1, "pad_w": 2, "stride_h": 2, "stride_w": 3, "groups": 2})");
  const auto graph = ReadGraphText(everything, "t");
  const std::string once = WriteGraphText(*graph);
  const auto again = ReadGraphText(once, "t");
  EXPECT_EQ(WriteGraphText(*again), once);
  const Op& op = again->op(OpId(1));
  EXPECT_EQ(op.flops.count, 0.1);
  EXPECT_EQ(op.bytes_accessed.count, 3);
  EXPECT_EQ(op.weight_bytes.count, 2);
  EXPECT_EQ(op.workspace_bytes.count, 7);
  EXPECT_EQ(op.layer, -1);
  EXPECT_EQ(op.fusion_class, FusionClass::kOpaque);
  EXPECT_EQ(op.device_kinds, graph->op(OpId(1)).device_kinds);
  EXPECT_EQ(again->colocation_labels()[0], "\"é\n");
  EXPECT_EQ(again->measured_times(OpId(1))[0].seconds, 3.3e-7);
  EXPECT_EQ(again->tensor(TensorId(1)).aliased, TensorId(0));
  EXPECT_EQ(std::get<ConvShape>(*again->work_shape(OpId(1))).stride_w, 3);
  EXPECT_EQ(again->num_control_edges(), 1U);
}

TEST(WriteGraphTest, HugeFlopsDoNotTurnIntoIntegersBeyondInt64) {
  // 2^64 has no more digits as an integer than in scientific spelling.
  const auto graph = ReadGraphText(OneOp(R"("flops": 1.8446744073709552e19)"), "t");
  const auto again = ReadGraphText(WriteGraphText(*graph), "t");
  EXPECT_EQ(again->op(OpId(0)).flops.count, 18446744073709551616.0);
}

TEST(GraphFileTest, PlainAndPackedFilesHoldTheSameGraph) {
  const auto folder = std::filesystem::path(::testing::TempDir()) / "opyard_graph_file_test";
  std::filesystem::create_directories(folder);
  const auto graph = ReadGraphText(kToy, "toy");
  for (const char* name : {"toy.graph.json", "toy.graph.json.gz"}) {
    WriteGraphFile(*graph, folder / name);
    EXPECT_EQ(WriteGraphText(*ReadGraphFile(folder / name)), WriteGraphText(*graph)) << name;
  }
  std::filesystem::remove_all(folder);
}

TEST(GraphFileTest, EveryShippedGraphReads) {
  const auto folder = DataRoot() / "graphs" / "data";
  std::size_t num_read = 0;
  if (std::filesystem::is_directory(folder)) {
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
      const std::string name = entry.path().filename().string();
      if (name.ends_with(".graph.json") || name.ends_with(".graph.json.gz")) {
        EXPECT_NO_THROW((void)ReadGraphFile(entry.path())) << name;
        ++num_read;
      }
    }
  }
  if (num_read == 0) {
    GTEST_SKIP() << "no graphs in " << folder;
  }
}

// --- what is refused: the place, what was found, what was expected

struct Malformed {
  const char* label;
  std::string text;
  const char* message;  // a part of it
};

class MalformedGraphTest : public ::testing::TestWithParam<Malformed> {};

TEST_P(MalformedGraphTest, IsRefusedWithPlaceAndExpectation) {
  EXPECT_THAT(Refusal(GetParam().text), HasSubstr(GetParam().message));
}

std::vector<Malformed> Syntax() {
  return {
      {"Empty", "", "f.json:1:1: syntax error"},
      {"Truncated",
       R"({"format": "opyard-graph/1", "name": "g", "ops": [)",
       "f.json:1:51: syntax error while parsing value - unexpected end of input; expected"},
      {"SecondLine", "{\n \"format\": nope}", "f.json:2:13: syntax error"},
      {"TrailingText", OneOp(R"("flops": 1)") + " {}", "expected end of input"},
      {"TrailingComma", OneOp(R"("flops": 1, )"), "expected string literal"},
      {"Comment", "// no\n{}", "f.json:1:1: syntax error"},
      {"NaN", OneOp(R"("flops": NaN)"), "invalid literal"},
      {"Infinite", OneOp(R"("flops": 1e999)"), "found a number beyond the range of double"},
      {"Nul", std::string("{\n\0}", 4), "f.json:2:1: found NUL, expected text"},
      {"EscapedNul",
       OneOp(R"("colocation": "a\u0000")"),
       "f.json#/ops/0/colocation: found a text that holds NUL"},
      {"NulKey", OneOp(R"("a\u0000": 1)"), "f.json#/ops/0: found a key that holds NUL"},
      {"Latin1", OneOp("\"colocation\": \"\xe9\""), "found bytes that are not UTF-8"},
      {"OverlongSlash", "\xc0\xaf", "f.json:1:1: found bytes that are not UTF-8"},
      {"Deep", std::string(1000, '['), "f.json: found values nested deeper than 32 levels"},
      {"DeepInOp", OneOp("\"x\": " + std::string(100, '[')), "nested deeper than 32 levels"},
      {"NotAnObject", "[]", "f.json#: found an array, expected an object"},
      {"JustNull", "null", "f.json#: found null, expected an object"},
  };
}

std::vector<Malformed> Keys() {
  return {
      {"NoFormat", R"({"name": "g", "ops": []})", "f.json#: found no key \"format\", expected it"},
      {"WrongFormat",
       R"({"format": "opyard-plan/1", "name": "g", "ops": []})",
       "f.json#/format: found \"opyard-plan/1\", expected \"opyard-graph/1\""},
      {"NoName", R"({"format": "opyard-graph/1", "ops": []})", "f.json#: found no key \"name\""},
      {"NoOps", R"({"format": "opyard-graph/1", "name": "g"})", "f.json#: found no key \"ops\""},
      {"EmptyOps",
       R"({"format": "opyard-graph/1", "name": "g", "ops": []})",
       "f.json#/ops: found no op, expected at least one"},
      {"OpsAnObject",
       R"({"format": "opyard-graph/1", "name": "g", "ops": {"0": {}}})",
       "f.json#/ops: found an object, expected an array"},
      {"OpANumber",
       R"({"format": "opyard-graph/1", "name": "g", "ops": [7]})",
       "f.json#/ops/0: found 7, expected an object"},
      {"UnknownRootKey",
       R"({"format": "opyard-graph/1", "name": "g", "opps": []})",
       "f.json#: found the unknown key \"opps\", expected format, name, origin, ops; did you mean "
       "\"ops\"?"},
      {"UnknownOpKey", OneOp(R"("flop": 1)"), "f.json#/ops/0: found the unknown key \"flop\""},
      {"UnknownOpKeyHint", OneOp(R"("flop": 1)"), "did you mean \"flops\"?"},
      {"UnknownOutputKey",
       OneOp(R"("outputs": [{"byte": 1, "bytes": 1}])"),
       "f.json#/ops/0/outputs/0: found the unknown key \"byte\""},
      {"DuplicateKey",
       OneOp(R"("flops": 1, "flops": 1)"),
       "f.json#/ops/0: found the key \"flops\" twice, expected it once"},
      {"DuplicateOps",
       R"({"format": "opyard-graph/1", "name": "g", "ops": [{"name": "a", "type": "R"}], "ops": []})",
       "f.json#: found the key \"ops\" twice"},
      {"NoOpName",
       R"({"format": "opyard-graph/1", "name": "g", "ops": [{"type": "Relu"}]})",
       "f.json#/ops/0: found no key \"name\""},
      {"NoOpType",
       R"({"format": "opyard-graph/1", "name": "g", "ops": [{"name": "a"}]})",
       "f.json#/ops/0: found no key \"type\""},
      {"NoOutputBytes",
       OneOp(R"("outputs": [{}])"),
       "f.json#/ops/0/outputs/0: found no key \"bytes\""},
      {"NoGemmK", OneOp(R"("gemm": {"m": 1, "n": 1})"), "f.json#/ops/0/gemm: found no key \"k\""},
  };
}

std::vector<Malformed> Values() {
  return {
      {"FractionalBytes",
       OneOp(R"("outputs": [{"bytes": 1.5}])"),
       "f.json#/ops/0/outputs/0/bytes: found 1.5, expected an integer"},
      {"ExponentBytes",
       OneOp(R"("param_bytes": 1e3)"),
       "f.json#/ops/0/param_bytes: found 1000, expected an integer"},
      {"BytesAsText",
       OneOp(R"("param_bytes": "4 MiB")"),
       "f.json#/ops/0/param_bytes: found \"4 MiB\", expected an integer"},
      {"BytesBeyondInt64",
       OneOp(R"("param_bytes": 9223372036854775808)"),
       "f.json#/ops/0/param_bytes: found an integer beyond int64, expected an integer that fits "
       "int64"},
      {"BytesBeyondUint64",
       OneOp(R"("param_bytes": 99999999999999999999999)"),
       "f.json#/ops/0/param_bytes: found an integer beyond int64"},
      {"FlopsBeyondInt64",
       OneOp(R"("flops": 10000000000000000000)"),
       "f.json#/ops/0/flops: found an integer beyond int64"},
      {"NegativeBytes",
       OneOp(R"("outputs": [{"bytes": -1}])"),
       "f.json#/ops/0/outputs/0/bytes: found -1, expected at least 0"},
      {"NegativeFlops", OneOp(R"("flops": -1)"), "f.json#/ops/0/flops: found -1"},
      {"NegativeDim",
       OneOp(R"("outputs": [{"bytes": 1, "shape": [2, -1]}])"),
       "f.json#/ops/0/outputs/0/shape/1: found -1, expected at least 0"},
      {"SumOfBytes",
       OneOp(R"("outputs": [{"bytes": 9223372036854775807}, {"bytes": 9223372036854775807}])"),
       "more bytes than int64 holds"},
      {"SecondsTooLong",
       OneOp(R"("seconds": {"gpu0": 1e300})"),
       "f.json#/ops/0/seconds/gpu0: found"},
      {"SecondsNegative",
       OneOp(R"("seconds": {"a/b~": -1.0})"),
       "f.json#/ops/0/seconds/a~1b~0: found"},
      {"SecondsANumber",
       OneOp(R"("seconds": 1)"),
       "f.json#/ops/0/seconds: found 1, expected an object"},
      {"UnknownDType",
       OneOp(R"("dtype": "float32")"),
       "f.json#/ops/0/dtype: found \"float32\", expected one of f64, f32"},
      {"UnknownPhase",
       OneOp(R"("phase": "sideways")"),
       "f.json#/ops/0/phase: found \"sideways\", expected one of forward, backward, update"},
      {"UnknownKind",
       OneOp(R"("device_kinds": ["gpu", "npu"])"),
       "f.json#/ops/0/device_kinds/1: found \"npu\", expected one of gpu, cpu, tpu, other"},
      {"NoKind", OneOp(R"("device_kinds": [])"), "f.json#/ops/0/device_kinds: found no kind"},
      {"UnknownFusionClass",
       OneOp(R"("fusion_class": "light")"),
       "f.json#/ops/0/fusion_class: found \"light\", expected one of elementwise"},
      {"LayerBeyondInt32",
       OneOp(R"("layer": 3000000000)"),
       "f.json#/ops/0/layer: found 3000000000, expected an integer from -2147483648"},
      {"EmptyName",
       R"({"format": "opyard-graph/1", "name": "g", "ops": [{"name": "", "type": "R"}]})",
       "f.json#/ops/0/name: found \"\", expected a text that is not empty"},
      {"NameANumber",
       R"({"format": "opyard-graph/1", "name": "g", "ops": [{"name": 5, "type": "R"}]})",
       "f.json#/ops/0/name: found 5, expected a text"},
      {"KeepANumber",
       OneOp(R"("outputs": [{"bytes": 1, "keep": 1}])"),
       "f.json#/ops/0/outputs/0/keep: found 1, expected true or false"},
      {"TwoWorkBlocks",
       OneOp(
           R"("gemm": {"m": 1, "n": 1, "k": 1}, "rnn": {"hidden": 1, "batch": 1, "timesteps": 1})"),
       "f.json#/ops/0/rnn: found a second shape block, expected one of gemm, conv, rnn"},
      {"ZeroGemm",
       OneOp(R"("gemm": {"m": 0, "n": 1, "k": 1})"),
       "f.json#/ops/0/gemm/m: found 0, expected 1 to"},
      {"UnknownPass",
       OneOp(R"("conv": {"pass": "up", "n": 1, "c": 1, "h": 1, "w": 1, "k": 1, "r": 1, "s": 1})"),
       "f.json#/ops/0/conv/pass: found \"up\", expected one of forward, backward_data"},
  };
}

std::vector<Malformed> References() {
  return {
      {"DanglingOutput",
       SecondOp(R"("inputs": [[0, 2]])"),
       "f.json#/ops/1/inputs/0/1: found 2, expected an output of op \"mm\" (it has 1)"},
      {"DanglingOp",
       SecondOp(R"("inputs": [[0, 0], [2, 0]])"),
       "f.json#/ops/1/inputs/1/0: found 2, expected the index of an op (there are 2)"},
      {"NegativeOp", SecondOp(R"("inputs": [[-1, 0]])"), "f.json#/ops/1/inputs/0/0: found -1"},
      {"HugeOp",
       SecondOp(R"("inputs": [[4294967296, 0]])"),
       "f.json#/ops/1/inputs/0/0: found 4294967296"},
      {"NotAPair",
       SecondOp(R"("inputs": [[0]])"),
       "f.json#/ops/1/inputs/0: found 1 items, expected two: an op index and an output index"},
      {"FlatInputs",
       SecondOp(R"("inputs": [0, 0])"),
       "f.json#/ops/1/inputs/0: found 0, expected an array"},
      {"InputByName",
       SecondOp(R"("inputs": [["mm", 0]])"),
       "f.json#/ops/1/inputs/0/0: found \"mm\", expected an integer"},
      {"DanglingControl",
       SecondOp(R"("control_inputs": [5])"),
       "f.json#/ops/1/control_inputs/0: found 5, expected the index of an op (there are 2)"},
      {"AliasBeyondInputs",
       SecondOp(R"("inputs": [[0, 0]], "outputs": [{"bytes": 1, "alias": 1}])"),
       "f.json#/ops/1/outputs/0/alias: found 1, expected the position of an input (there are 1)"},
      {"AliasUnknown",
       OneOp(R"("outputs": [{"bytes": 1, "alias": "input"}])"),
       "f.json#/ops/0/outputs/0/alias: found \"input\", expected the position of an input or "
       "\"params\""},
      {"SelfLoop",
       OneOp(R"("inputs": [[0, 0]], "outputs": [{"bytes": 1}])"),
       "f.json#/ops: found the cycle \"a\" -> \"a\", expected an acyclic graph"},
      {"SameName",
       R"({"format": "opyard-graph/1", "name": "g", "ops": [{"name": "a", "type": "R"}, {"name": "a", "type": "R"}]})",
       "f.json#/ops/1/name: found \"a\", which is the name of /ops/0"},
  };
}

std::string LabelOf(const ::testing::TestParamInfo<Malformed>& info) {
  return info.param.label;
}

INSTANTIATE_TEST_SUITE_P(Syntax, MalformedGraphTest, ::testing::ValuesIn(Syntax()), LabelOf);
INSTANTIATE_TEST_SUITE_P(Keys, MalformedGraphTest, ::testing::ValuesIn(Keys()), LabelOf);
INSTANTIATE_TEST_SUITE_P(Values, MalformedGraphTest, ::testing::ValuesIn(Values()), LabelOf);
INSTANTIATE_TEST_SUITE_P(References,
                         MalformedGraphTest,
                         ::testing::ValuesIn(References()),
                         LabelOf);

TEST(GraphProblemsTest, AllProblemsOfAFileComeAtOnce) {
  const std::string text = Refusal(SecondOp(
      R"("flopps": 1, "param_bytes": 1.5, "inputs": [[9, 0]], "outputs": [{"bytes": -3}])"));
  EXPECT_THAT(text, HasSubstr("/ops/1: found the unknown key \"flopps\""));
  EXPECT_THAT(text, HasSubstr("/ops/1/param_bytes: found 1.5"));
  EXPECT_THAT(text, HasSubstr("/ops/1/inputs/0/0: found 9"));
  EXPECT_THAT(text, HasSubstr("/ops/1/outputs/0/bytes: found -3"));
}

TEST(GraphProblemsTest, AProblemOfFormCausesNoFurtherMessages) {
  // The bad input is dropped together with the alias that needs it; nothing else is wrong.
  const std::string text =
      Refusal(SecondOp(R"("inputs": [[0.5, 0]], "outputs": [{"bytes": 8, "alias": 0}])"));
  EXPECT_EQ(text, "f.json#/ops/1/inputs/0/0: found 0.5, expected an integer");
}

TEST(GraphProblemsTest, MessagesStayShortWhateverTheFileHolds) {
  const std::string text = Refusal(OneOp("\"" + std::string(100000, 'x') + "\": 1"));
  EXPECT_LT(text.size(), 1000U);
  EXPECT_THAT(text, Not(HasSubstr(std::string(200, 'x'))));
}

}  // namespace
}  // namespace opyard::sim
