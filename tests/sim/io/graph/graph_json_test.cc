#include "sim/io/graph/graph_json.h"

#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/base/data_root.h"
#include "tests/sim/io/graph/graph_texts.h"

namespace opyard::sim {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

// The example of docs/formats.md, "Graph".
constexpr const char* kToy =
    R"({"format": "opyard-graph/1", "name": "toy", "origin": "hand-written",
 "ops": [
  {"name": "x",  "type": "Placeholder", "outputs": [{"bytes": 4194304, "shape": [1024, 1024], "dtype": "f32"}]},
  {"name": "mm", "type": "MatMul", "dtype": "f32", "inputs": [[0, 0]], "outputs": [{"bytes": 4194304}],
   "flops": 2147483648, "bytes_accessed": 12582912, "param_bytes": 4194304, "workspace_bytes": 0,
   "gemm": {"m": 1024, "n": 1024, "k": 1024}},
  {"name": "act", "type": "Relu", "inputs": [[1, 0]], "outputs": [{"bytes": 4194304}], "control_inputs": [0],
   "seconds": {"*": 1.0e-5}, "colocation": "g0", "device_kinds": ["gpu"], "phase": "forward", "layer": 0}]})";

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

TEST(ReadGraphTest, MeasuredTimesHoldALaunchUnlessTheGraphSaysOtherwise) {
  const auto read = [](const std::string& measured) {
    return ReadGraphText(R"({"format": "opyard-graph/1", "name": "g", )" + measured +
                             R"("ops": [{"name": "a", "type": "Relu"}]})",
                         "t");
  };
  EXPECT_EQ(read("")->measured(), Measured::kWithLaunch);
  EXPECT_EQ(read(R"("measured": "with_launch", )")->measured(), Measured::kWithLaunch);
  EXPECT_EQ(read(R"("measured": "kernel", )")->measured(), Measured::kKernel);
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
         "phase": "update", "layer": -1, "module": "a.b", "colocation": "\"é\n", "device_kinds": ["cpu", "tpu"],
         "fusion_class": "opaque", "seconds": {"gpu": 3.3e-7, "*": 0}, "release": 2.5e-6,
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
  EXPECT_EQ(again->module_paths()[0], "a.b");
  EXPECT_EQ(op.fusion_class, FusionClass::kOpaque);
  EXPECT_EQ(op.device_kinds, graph->op(OpId(1)).device_kinds);
  EXPECT_EQ(again->colocation_labels()[0], "\"é\n");
  EXPECT_EQ(again->measured_times(OpId(1))[0].seconds, 3.3e-7);
  EXPECT_EQ(again->tensor(TensorId(1)).aliased, TensorId(0));
  EXPECT_EQ(std::get<ConvShape>(*again->work_shape(OpId(1))).stride_w, 3);
  EXPECT_EQ(again->num_control_edges(), 1U);
  EXPECT_EQ(op.release, SimTime{2'500'000});
}

TEST(WriteGraphTest, ShapesOfAttentionAndOfRecurrentPassesReadBackEqual) {
  const auto read_back = [](const std::string& shape) {
    const std::string once = WriteGraphText(*ReadGraphText(OneOp(shape), "t"));
    const auto again = ReadGraphText(once, "t");
    EXPECT_EQ(WriteGraphText(*again), once);
    return *again->work_shape(OpId(0));
  };
  const auto attention = std::get<AttentionShape>(read_back(
      R"("attention": {"pass": "backward", "batch": 2, "heads": 3, "queries": 5, "keys": 7,
                       "width": 11, "value_width": 13, "causal": true, "flash": false})"));
  EXPECT_EQ(attention.pass, AttentionPass::kBackward);
  EXPECT_EQ(attention.heads * attention.queries * attention.keys, 3 * 5 * 7);
  EXPECT_EQ(attention.value_width, 13);
  EXPECT_TRUE(attention.causal && !attention.flash);
  const auto rnn = std::get<RnnShape>(
      read_back(R"("rnn": {"pass": "backward_weight", "hidden": 2, "batch": 3, "timesteps": 5})"));
  EXPECT_EQ(rnn.pass, RnnPass::kBackwardWeight);
}

TEST(WriteGraphTest, AModuleIsWrittenWhereAnOpSaysOneAndTheNetworkIsOne) {
  const auto graph = ReadGraphText(SecondOp(R"("module": "encoder.0")"), "t");
  EXPECT_FALSE(graph->op(OpId(0)).module.has_value());
  EXPECT_THAT(graph->module_paths(), ElementsAre("encoder.0"));
  EXPECT_THAT(WriteGraphText(*graph), HasSubstr(R"("module": "encoder.0")"));
  EXPECT_THAT(WriteGraphText(*ReadGraphText(SecondOp(R"("flops": 1)"), "t")),
              Not(HasSubstr("module")));
  EXPECT_THAT(WriteGraphText(*ReadGraphText(OneOp(R"("module": "")"), "t")),
              HasSubstr(R"("module": "")"));
}

TEST(WriteGraphTest, ModulesMayBeLeftOut) {
  const auto graph = ReadGraphText(SecondOp(R"("module": "encoder.0", "layer": 3)"), "t");
  const auto plain = ReadGraphText(SecondOp(R"("layer": 3)"), "t");
  EXPECT_EQ(WriteGraphText(*graph, ModulesInText::kLeftOut), WriteGraphText(*plain));
}

TEST(WriteGraphTest, AReleaseIsWrittenWhereThereIsOneAndReadBackToThePicosecond) {
  EXPECT_THAT(WriteGraphText(*ReadGraphText(OneOp(R"("release": 0.0)"), "t")),
              Not(HasSubstr("release")));
  for (const char* seconds :
       {"1e-12", "0.1", "3", "4600000", "2305.843009213695", "4123456.789012345", "3000000.1"}) {
    const auto graph = ReadGraphText(OneOp(std::string(R"("release": )") + seconds), "t");
    const std::string once = WriteGraphText(*graph);
    const auto again = ReadGraphText(once, "t");
    EXPECT_EQ(again->op(OpId(0)).release, graph->op(OpId(0)).release) << seconds;
    EXPECT_EQ(WriteGraphText(*again), once) << seconds;
  }
}

TEST(WriteGraphTest, WhatMeasuredTimesHoldIsWrittenWhereItIsNotTheDefault) {
  OpGraphBuilder builder("g");
  builder.AddOp({.name = "a", .type = "Relu"});
  builder.SetMeasured(Measured::kKernel);
  const std::string text = WriteGraphText(*builder.Build());
  EXPECT_THAT(text, HasSubstr(R"("measured": "kernel")"));
  EXPECT_EQ(ReadGraphText(text, "t")->measured(), Measured::kKernel);
  builder.AddOp({.name = "a", .type = "Relu"});
  EXPECT_THAT(WriteGraphText(*builder.Build()), Not(HasSubstr("measured")));
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

}  // namespace
}  // namespace opyard::sim
