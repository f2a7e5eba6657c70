#include "graphs/importers/foreign_formats.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "graphs/graph_sources.h"
#include "sim/base/error.h"
#include "tests/support/temporary_folder.h"

namespace opyard::graphs {
namespace {

using ::testing::HasSubstr;
using ::testing::Optional;

// Begins as a ModelProto does: ir_version 8, producer_name "pytorch".
constexpr std::string_view kOnnx = "\x08\x08\x12\x07pytorch";

std::optional<std::string> Find(std::string_view bytes, const std::string& path) {
  return FindForeignFormat({.bytes = bytes, .place = path, .stem = "model"}, path);
}

TEST(ForeignFormatTest, OnnxIsTheConversionsOfThePythonPackage) {
  EXPECT_EQ(Find("", "model.onnx"),
            "found an ONNX model; the Python package makes a graph of it: opyard graph convert "
            "model.onnx --out model.graph.json");
  EXPECT_EQ(Find(kOnnx, "model.bin").has_value(), true);
}

TEST(ForeignFormatTest, SpreadsheetsAreTheConversionsOfThePythonPackage) {
  EXPECT_THAT(Find("", "problem.xls"), Optional(HasSubstr("--hardware-out model.yaml")));
}

TEST(ForeignFormatTest, ModelsOfFrameworksAreTraced) {
  EXPECT_THAT(Find("PK\x03\x04", "model.bin"), Optional(HasSubstr("opyard export torch")));
  EXPECT_THAT(Find("", "model.pth"), Optional(HasSubstr("opyard export torch")));
  EXPECT_THAT(Find("\x89HDF", "model"), Optional(HasSubstr("opyard export tensorflow")));
}

TEST(ForeignFormatTest, GraphsAreNot) {
  EXPECT_EQ(Find("\x0a\x10", "step.pb"), std::nullopt);
  // saved_model_schema_version 1, then meta_graphs.
  EXPECT_EQ(Find("\x08\x01\x12", "saved_model.pb"), std::nullopt);
  EXPECT_EQ(Find("{\"format\"", "step.json"), std::nullopt);
  EXPECT_EQ(Find("HloModule step", "step.hlo.txt"), std::nullopt);
  EXPECT_EQ(Find("", ""), std::nullopt);
}

TEST(ForeignFormatTest, ABareSpreadsheetIsAnsweredWithoutItsEndingInWhatIsWritten) {
  const opyard::testing::TemporaryFolder folder;
  const std::string path = folder.Write("problem.xls", "\xd0\xcf\x11\xe0").string();
  try {
    static_cast<void>(LoadGraph(path));
    FAIL();
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("--out problem.graph.json --hardware-out problem.yaml"));
  }
}

TEST(ForeignFormatTest, ABareFileNameIsAPathAndIsAnswered) {
  const opyard::testing::TemporaryFolder folder;
  const std::string path = folder.Write("model.onnx", std::string(kOnnx)).string();
  try {
    static_cast<void>(LoadGraph(path));
    FAIL();
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("--out model.graph.json"));
  }
  try {
    static_cast<void>(LoadGraph("absent_model.onnx"));
    FAIL();
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), ::testing::Not(HasSubstr("shipped")));
  }
}

}  // namespace
}  // namespace opyard::graphs
