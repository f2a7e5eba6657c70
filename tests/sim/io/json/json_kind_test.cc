#include "sim/io/json/json_kind.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/base/error.h"
#include "sim/io/graph/graph_json.h"
#include "sim/io/yaml/yaml.h"
#include "tests/support/temporary_folder.h"

namespace opyard::sim {
namespace {

using ::testing::HasSubstr;

constexpr WantedJson kPlan = {
    .what = "a plan", .family = "opyard-plan/", .body_key = "placement", .advice = "make one"};

std::string Refusal(std::string_view text) {
  try {
    ThrowIfOfAnotherKind(text, "f.json", kPlan);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(JsonKindTest, NamesWhatWasFoundWhatWasExpectedAndWhatToDo) {
  EXPECT_EQ(Refusal(R"({"name": "left-pad", "version": "1.0.0", "scripts": {"format": "x"}})"),
            "f.json: found JSON of another program, expected a plan; make one");
}

TEST(JsonKindTest, KnowsTheFilesThatAreOftenMistaken) {
  EXPECT_THAT(Refusal(R"({"format": "opyard-graph/1", "name": "g", "ops": []})"),
              HasSubstr("found a graph of opyard"));
  EXPECT_THAT(Refusal(R"({"schemaVersion": 1, "traceEvents": []})"), HasSubstr("found a timeline"));
  EXPECT_THAT(Refusal(R"({"outcome": "completed", "makespan_s": 1.5})"),
              HasSubstr("found what opyard answers with --json"));
  EXPECT_THAT(Refusal(R"({"meta": {}, "nodes": [], "edges": []})"),
              HasSubstr("found a graph of another tool"));
}

TEST(JsonKindTest, IsSilentWhereTheStrictReaderKnowsMore) {
  for (const char* text : {R"({"format": "opyard-plan/2"})",
                           R"({"placement": []})",
                           R"({"format": "opyard-graph/1", "placement": []})",
                           "[1]",
                           "3",
                           "",
                           R"({"name": )"}) {
    EXPECT_EQ(Refusal(text), "") << text;
  }
}

TEST(JsonKindTest, DeepForeignJsonIsNamedAllTheSame) {
  // Our own files nest to 32 levels, which the strict reader says first.
  const std::string deep = R"({"a": )" + std::string(100, '[') + std::string(100, ']') + "}";
  try {
    static_cast<void>(ReadGraphText(deep, "f.json"));
    FAIL() << "accepted";
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("found JSON of another program, expected a graph"));
  }
}

TEST(ReadYamlFileTest, AGraphInPlaceOfAMachineIsNamed) {
  const opyard::testing::TemporaryFolder folder;
  Diagnostics diagnostics;
  const auto path = folder.Write("g.json", R"({"format": "opyard-graph/1", "ops": []})");
  EXPECT_FALSE(ReadYamlFile(path, diagnostics).has_value());
  EXPECT_THAT(diagnostics.Text(), HasSubstr("found a file of the format opyard-graph/1, expected"));
}

}  // namespace
}  // namespace opyard::sim
