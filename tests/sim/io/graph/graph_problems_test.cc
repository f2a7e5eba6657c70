// Refusals by readers of graphs: the place, what was found, what was expected.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/base/error.h"
#include "sim/io/graph/graph_json.h"
#include "tests/sim/io/graph/graph_texts.h"

namespace opyard::sim {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::string Refusal(const std::string& text) {
  try {
    (void)ReadGraphText(text, "f.json");
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

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
      {"Nul", std::string("{\n\0}", 4), "f.json:2:1: found a NUL byte, expected UTF-8 text"},
      {"EscapedNul",
       OneOp(R"("colocation": "a\u0000")"),
       "f.json#/ops/0/colocation: found a text that holds NUL"},
      {"NulKey", OneOp(R"("a\u0000": 1)"), "f.json#/ops/0: found a key that holds NUL"},
      {"Latin1", OneOp("\"colocation\": \"\xe9\""), "found invalid UTF-8"},
      {"OverlongSlash", "\xc0\xaf", "f.json:1:1: found invalid UTF-8"},
      {"Deep", std::string(1000, '['), "f.json: found values nested deeper than 32 levels"},
      {"DeepInOp", OneOp("\"x\": " + std::string(100, '[')), "nested deeper than 32 levels"},
      {"LongString",
       OneOp("\"colocation\": \"" + std::string(1100000, 'x') + "\""),
       "f.json:1:95: found a text, number or white space longer than 1 MiB"},
      {"LongNumber", std::string(1100000, '1'), "f.json:1:1: found a text, number or white space"},
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
       "f.json#: found the unknown key \"opps\", expected format, name, origin, measured, ops; did "
       "you mean "
       "\"ops\"?"},
      {"UnknownMeasured",
       R"({"format": "opyard-graph/1", "name": "g", "measured": "cold", "ops": [{"name": "a", "type": "Relu"}]})",
       "f.json#/measured: found \"cold\", expected one of with_launch, kernel"},
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
      {"ModuleWithoutAName",
       OneOp(R"("module": "a..b")"),
       "f.json#/ops/0/module: found \"a..b\", expected at most 64 names with dots between, or \"\" "
       "for the network itself"},
      {"ModuleEndsInADot", OneOp(R"("module": "a.")"), "f.json#/ops/0/module: found \"a.\""},
      {"ModuleANumber", OneOp(R"("module": 1)"), "f.json#/ops/0/module: found 1, expected"},
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
      {"ReleaseNegative",
       OneOp(R"("release": -1e-9)"),
       "f.json#/ops/0/release: found -1e-09, expected seconds from 0 to 4600000"},
      {"ReleaseTooLate",
       OneOp(R"("release": 4600000.5)"),
       "f.json#/ops/0/release: found 4600000.5, expected seconds from 0 to 4600000"},
      {"ReleaseInfinite",
       OneOp(R"("release": 1e999)"),
       "found a number beyond the range of double"},
      {"ReleaseNaN", OneOp(R"("release": NaN)"), "invalid literal"},
      {"ReleaseWithAUnit",
       OneOp(R"("release": "3 us")"),
       "f.json#/ops/0/release: found \"3 us\", expected a number"},
      {"WorkAfterTheLastRelease",
       OneOp(R"("release": 4.6e6, "seconds": {"*": 4.6e6, "gpu": 1}}, {"name": "b", "type": "R",
                "seconds": {"*": 1})"),
       "f.json#/ops: found seconds that add up, after the last release, to 9200001"},
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
       "f.json#/ops/0/rnn: found a second shape block, expected one of gemm, conv, rnn, attention"},
      {"AttentionWithoutKeys",
       OneOp(R"("attention": {"queries": 1, "width": 1})"),
       "f.json#/ops/0/attention: found no key \"keys\", expected it"},
      {"ZeroHeads",
       OneOp(R"("attention": {"heads": 0, "queries": 1, "keys": 1, "width": 1})"),
       "f.json#/ops/0/attention/heads: found 0, expected 1 to"},
      {"RnnPass",
       OneOp(R"("rnn": {"pass": "up", "hidden": 1, "batch": 1, "timesteps": 1})"),
       "f.json#/ops/0/rnn/pass: found \"up\", expected one of forward, backward_data"},
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
