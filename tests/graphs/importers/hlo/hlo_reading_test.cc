// Forms of HLO text: comments, wrapped lines, types, parameters, relatives.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/graphs/importers/hlo/hlo_files.h"

namespace opyard::graphs {
namespace {

using ::testing::HasSubstr;

TEST(HloReadingTest, WrappedLinesAndConstantsOverSeveralLinesAreRead) {
  // 2 · 32 · 64 · 16, and 2 · 2 · 2 · 16.
  EXPECT_EQ(GetOp(*ImportHloFile("wrapped.hlo").graph, "y").flops.count, 65'536.0);
  EXPECT_EQ(GetOp(*ImportHloFile("multiline.hlo").graph, "y").flops.count, 128.0);
}

TEST(HloReadingTest, CommentsTablesAndOrderDoNotMatter) {
  const std::string text =
      "/* a dump\n of mine */\n// of today\n\nHloModule m, is_scheduled=true,\n  "
      "num_partitions=4\n\n"
      "FileNames\n1 \"/a {b/c.py\"\n\nStackFrames\n1 {file_location_id=1 parent_frame_id=1}\n\n"
      "ENTRY %main (x: f32[4], // the input\n  y: f32[4]) -> f32[4] {\n"
      "  %x = f32[4]{0} parameter(0) // the first\n  %y = f32[4]{0:T(128)S(1)} parameter(1)\n"
      "  ROOT %z = f32[4]{0} call(f32[4]{0} %x, /*index=1*/f32[4]{0} %y)\n"
      "      , to_apply=%sum, metadata={op_name=\"jit(f)/to_apply=x {\"}\n}\n\n"
      "%sum (a: f32[4], b: f32[4]) -> f32[4] {\n  %a = f32[4] parameter(0)\n"
      "  %b = f32[4] parameter(1)\n  ROOT %s = f32[4] add(%a, %b)\n}, execution_thread=\"main\"\n";
  const ImportedGraph imported = ImportText(text, "");
  EXPECT_EQ(imported.summary.format, "hlo");
  EXPECT_EQ(GetOp(*imported.graph, "z").type, "add");
}

TEST(HloReadingTest, ATextWhoseHeaderWasCutOffIsRead) {
  const ImportedGraph imported = ImportText(
      "\xEF\xBB\xBF\n// cut\nENTRY main {\n  x = f32[2] parameter(0)\n  y = f32[2] negate(x)\n}\n",
      "");
  EXPECT_EQ(imported.summary.format, "hlo");
  EXPECT_EQ(imported.graph->num_ops(), 2U);
}

TEST(HloReadingTest, ElementsBelowAByteArePackedAndUnusedParametersStay) {
  const ImportedGraph imported = ImportHloFile("dtypes.hlo");
  const sim::OpGraph& graph = *imported.graph;
  const auto bytes = [&](const char* name) {
    return graph.tensor(graph.output(FindOp(graph, name), 0)).bytes.count;
  };
  EXPECT_EQ(graph.num_ops(), 8U);
  for (const char* name : {"a", "b", "c"}) {
    EXPECT_EQ(bytes(name), 524'288) << name;  // 1024 · 1024 / 2
  }
  for (const char* name : {"d", "e", "f"}) {
    EXPECT_EQ(bytes(name), 1'048'576) << name;
  }
  EXPECT_EQ(bytes("g"), 8'388'608);
  EXPECT_EQ(bytes("h"), 16'777'216);
}

TEST(HloReadingTest, AnUnknownElementTypeIsRefusedByName) {
  EXPECT_EQ(MessageOf(HloModuleOf("  x = f3e1[4] parameter(0)\n"), "hlo"),
            "in:5: found the element type \"f3e1\", expected one of HLO, like f32 or s4");
}

TEST(HloReadingTest, AliasesOfTheHeaderSayWhatIsState) {
  const ImportedGraph imported = ImportHloFile("donated.hlo");
  EXPECT_EQ(SumOfParameters(*imported.graph), Bytes{4'194'304});  // w: 1024 · 1024 · 4
  EXPECT_EQ(GetOp(*imported.graph, "w").type, "Variable");
  EXPECT_EQ(GetOp(*imported.graph, "x").type, "Placeholder");
  EXPECT_EQ(imported.summary.unknown.all().size(), 0U);
}

TEST(HloReadingTest, AliasesReachIntoTuples) {
  const ImportedGraph imported = ImportText(
      "HloModule m, input_output_alias={ {0}: (0, {1,0}, may-alias) }\nENTRY main {\n"
      "  p = (f32[2], (f32[3], f32[5])) parameter(0)\n"
      "  q = (f32[3], f32[5]) get-tuple-element(p), index=1\n"
      "  w = f32[3] get-tuple-element(q), index=0\n  n = f32[3] negate(w)\n"
      "  ROOT t = (f32[3]) tuple(n)\n}\n",
      "hlo");
  EXPECT_EQ(SumOfParameters(*imported.graph), Bytes{12});
  EXPECT_EQ(GetOp(*imported.graph, "p/1").type, "Variable");
  EXPECT_EQ(GetOp(*imported.graph, "p/0").type, "Placeholder");
  EXPECT_EQ(SourcesOf(*imported.graph, "n"), (std::vector<std::string>{"p/1"}));
  EXPECT_THAT(MessageOf("HloModule m, input_output_alias={ {}: (3, {}) }\nENTRY main {\n"
                        "  ROOT p = f32[2] parameter(0)\n}\n",
                        "hlo"),
              HasSubstr("input_output_alias: found \"(3, {})\""));
}

TEST(HloReadingTest, TupleParametersAreAnOpForEachTensor) {
  const ImportedGraph imported = ImportHloFile("tuple_param.hlo");
  const sim::OpGraph& graph = *imported.graph;
  EXPECT_EQ(SourcesOf(graph, "y"), (std::vector<std::string>{"p/0", "p/1"}));
  EXPECT_EQ(GetOp(graph, "y").flops.count, 524'288.0);  // 2 · 128 · 64 · 32
}

TEST(HloReadingTest, AnOpenExtentIsAskedForAndABoundIsTaken) {
  const std::string path = "tests/fuzz/corpus/hlo_text/dynamic.hlo";
  try {
    static_cast<void>(ImportGraphFile(path));
    FAIL();
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("dynamic.hlo:4: found f32[?,64], whose ?"));
    EXPECT_THAT(error.what(), HasSubstr("--dim N --out dynamic.graph.json"));
  }
  for (const OptionValue& value : {OptionValue("?=8"), OptionValue(std::int64_t{8})}) {
    Options options;
    options.Set("dim", value);
    const ImportedGraph imported = ImportGraphFile(path, "", options);
    EXPECT_EQ(GetOp(*imported.graph, "y").flops.count, 32'768.0);   // 2 · 8 · 64 · 32
    EXPECT_EQ(GetOp(*imported.graph, "zw").flops.count, 65'536.0);  // 2 · 16 · 64 · 32
    EXPECT_EQ(imported.summary.unknown.all()[0].count, 2U);         // z and zw
  }
}

TEST(HloReadingTest, WrongExtentsAreRefused) {
  const auto message = [](const std::string& text, const OptionValue& value) -> std::string {
    Options options;
    options.Set("dim", value);
    try {
      static_cast<void>(ImportText(text, "hlo", options));
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  };
  const std::string open = HloModuleOf("  ROOT x = f32[?] parameter(0)\n");
  EXPECT_THAT(message(open, "n=8"), HasSubstr("expected ?=N or N"));
  EXPECT_THAT(message(open, std::int64_t{0}), HasSubstr("expected 1 or more"));
  EXPECT_THAT(message(HloModuleOf("  ROOT x = f32[4] parameter(0)\n"), std::int64_t{8}),
              HasSubstr("no extent that is left open"));
}

TEST(HloReadingTest, StableHloAndSerialisedModulesSayHowToWriteText) {
  EXPECT_THAT(MessageOf("module @jit_f attributes {} {\n  func.func public @main() {\n    "
                        "stablehlo.add\n",
                        ""),
              HasSubstr("found StableHLO, the text of MLIR, expected HLO text: write "
                        "jax.jit(step).lower(...).as_text(\"hlo\")"));
  EXPECT_THAT(MessageOf("#loc = loc(unknown)\nmodule @m {\n  func.func @main() {}\n}\n", ""),
              HasSubstr("as_text(\"hlo\")"));
  EXPECT_THAT(MessageOf("ML\xEFR\x0DStableHLO", ""), HasSubstr("MLIR bytecode"));
  // HloModuleProto {name "m", entry_computation_name "e", computations {name "e", …}}.
  EXPECT_THAT(MessageOf("\x0a\x01m\x12\x01"
                        "e\x1a\x05\x0a\x01"
                        "e\x12\x00",
                        ""),
              HasSubstr("serialised HLO module"));
}

}  // namespace
}  // namespace opyard::graphs
