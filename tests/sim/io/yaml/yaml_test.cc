#include "sim/io/yaml/yaml.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/temporary_folder.h"

namespace opyard::sim {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

// The problems of `text`, one per line.
std::string ProblemsOf(std::string_view text, const YamlLimits& limits = {}) {
  Diagnostics diagnostics;
  static_cast<void>(ParseYaml(text, "f", diagnostics, limits));
  return diagnostics.Text();
}

YamlNode Parse(std::string_view text) {
  Diagnostics diagnostics;
  std::optional<YamlNode> node = ParseYaml(text, "f", diagnostics);
  EXPECT_EQ(diagnostics.Text(), "");
  return node.value_or(YamlNode{});
}

TEST(ParseYamlTest, ValuesKnowTheirLineAndColumn) {
  const YamlNode root = Parse("a: 1\nb:\n  - x\n  - {c: y}\n");
  const YamlNode* list = root.Find("b");
  ASSERT_NE(list, nullptr);
  ASSERT_EQ(list->items.size(), 2U);
  EXPECT_EQ(list->items[0].line, 3);
  EXPECT_EQ(list->items[0].column, 5);
  EXPECT_EQ(list->items[1].Find("c")->line, 4);
  EXPECT_EQ(list->items[1].Find("c")->column, 9);
}

TEST(ParseYamlTest, TabsThatIndentAreNamed) {
  const std::string message = "found a tab, expected spaces: YAML indents with spaces only";
  EXPECT_EQ(ProblemsOf("a:\n\tb: 1\n"), "f:2:1: " + message);
  EXPECT_EQ(ProblemsOf("a:\n  b: 1\n  \tc: 2\n"), "f:3:3: " + message);
  EXPECT_EQ(ProblemsOf("a:\n\t- b\n"), "f:2:1: " + message);
  EXPECT_EQ(ProblemsOf("\ta: 1\n"), "f:1:1: " + message);
}

TEST(ParseYamlTest, OtherTabsAreLegal) {
  const YamlNode root = Parse("a:\t1\nb: [1,\n\t2]\n");
  EXPECT_EQ(root.Find("a")->text, "1");
  EXPECT_EQ(root.Find("b")->items.size(), 2U);
}

TEST(ParseYamlTest, QuotedScalarsAreTextAndPlainOnesAreNot) {
  const YamlNode root = Parse("a: \"1\"\nb: 1\nc: '2'\n");
  EXPECT_TRUE(root.Find("a")->is_quoted);
  EXPECT_FALSE(root.Find("b")->is_quoted);
  EXPECT_TRUE(root.Find("c")->is_quoted);
}

TEST(ParseYamlTest, AnAliasIsACopyOfItsAnchor) {
  const YamlNode root = Parse("a: &x [1, 2]\nb: *x\n");
  EXPECT_EQ(root.Find("b")->items.size(), 2U);
  EXPECT_EQ(root.Find("b")->line, 2);
}

TEST(ParseYamlTest, AllDuplicateKeysAreReportedAtTheirSecondPlace) {
  EXPECT_EQ(ProblemsOf("a: 1\nb: 2\na: 3\nb: 4\n"),
            "f:3:1: key \"a\" stands twice in this map\nf:4:1: key \"b\" stands twice in this map");
}

TEST(ParseYamlTest, KeysThatAreListsOrMapsAreReported) {
  EXPECT_THAT(ProblemsOf("? [1, 2]\n: x\n"), HasSubstr("found a list as a key"));
}

TEST(ParseYamlTest, BrokenSyntaxHasItsPlace) {
  EXPECT_THAT(ProblemsOf("a: [1, 2\nb: 3\n"), StartsWith("f:2:"));
}

TEST(ParseYamlTest, AnEmptyFileIsRefused) {
  EXPECT_EQ(ProblemsOf(""), "f:1:1: the file is empty");
  EXPECT_EQ(ProblemsOf("# only a comment\n"), "f:1:1: the file is empty");
}

TEST(ParseYamlTest, ASecondDocumentIsRefused) {
  EXPECT_THAT(ProblemsOf("a: 1\n---\nb: 2\n"),
              HasSubstr("f:2:1: found more after the end of the document"));
}

TEST(ParseYamlTest, TagsAreRefused) {
  EXPECT_THAT(ProblemsOf("a: !!int 3\n"), HasSubstr("without a tag"));
  EXPECT_THAT(ProblemsOf("a: !python/object {}\n"), HasSubstr("without a tag"));
}

TEST(ParseYamlTest, NulAndControlCharactersAreRefusedWithTheirPlace) {
  EXPECT_EQ(ProblemsOf(std::string_view("a: 1\nb: \0\n", 10)),
            "f:2:4: found a NUL byte, expected UTF-8 text");
  EXPECT_THAT(ProblemsOf("a: \x1b[31m\n"), HasSubstr("f:1:4: found a control character"));
}

TEST(ParseYamlTest, InvalidUtf8IsRefusedWithItsPlace) {
  for (const char* text : {"a: \xff\n", "a: \xc0\xaf\n", "a: \xed\xa0\x80\n", "a: \xe2\x82"}) {
    EXPECT_EQ(ProblemsOf(text), "f:1:4: found invalid UTF-8, expected UTF-8 text");
  }
}

TEST(ParseYamlTest, TooDeepNestingIsRefused) {
  EXPECT_THAT(ProblemsOf(std::string(100'000, '[')), HasSubstr("nested deeper than 32 levels"));
  EXPECT_THAT(ProblemsOf(std::string(31, '[') + std::string(31, ']')), "");
}

TEST(ParseYamlTest, AnAliasBombIsRefused) {
  // Each line holds ten of the line before: 10^9 values in all.
  std::string bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 9; ++i) {
    const std::string before = "*a" + std::to_string(i - 1);
    bomb += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [" + before;
    for (int j = 1; j < 10; ++j) {
      bomb += ", " + before;
    }
    bomb += "]\n";
  }
  EXPECT_THAT(ProblemsOf(bomb), HasSubstr("aliases written out"));
}

TEST(ParseYamlTest, ManyAliasesOfOneLongTextAreRefused) {
  std::string text = "a: &a " + std::string(100'000, 'x') + "\nb: [*a";
  for (int i = 0; i < 1000; ++i) {
    text += ", *a";
  }
  EXPECT_THAT(ProblemsOf(text + "]\n"), HasSubstr("aliases written out"));
}

TEST(ParseYamlTest, AnAliasOfItselfIsRefused) {
  EXPECT_THAT(ProblemsOf("a: &x [1, *x]\n"), HasSubstr("part of"));
}

TEST(ParseYamlTest, TextBeyondTheSizeLimitIsRefused) {
  EXPECT_THAT(ProblemsOf("a: xxxxxxxx\n", {.bytes = 5}), HasSubstr("larger than 5 bytes"));
}

TEST(ReadYamlFileTest, FoldersAndMissingFilesAreRefused) {
  const opyard::testing::TemporaryFolder folder;
  Diagnostics diagnostics;
  EXPECT_FALSE(ReadYamlFile(folder.path(), diagnostics).has_value());
  EXPECT_FALSE(ReadYamlFile(folder.path() / "none.yaml", diagnostics).has_value());
  EXPECT_THAT(diagnostics.Text(), HasSubstr("found a folder, expected a file"));
  EXPECT_THAT(diagnostics.Text(), HasSubstr("none.yaml: found nothing here, expected a file"));
}

// The message of `read` about the value of `v`.
template <class Read>
std::string ReadingProblem(const std::string& text, Read read) {
  const YamlNode root = Parse("v: " + text + "\n");
  Diagnostics diagnostics;
  YamlReader reader("f", diagnostics);
  EXPECT_FALSE(read(reader, *root.Find("v")).has_value()) << text;
  return diagnostics.Text();
}

TEST(YamlReaderTest, PlacesOfValuesThatStandInNoTextArePointers) {
  YamlNode node;
  node.kind = YamlNode::Kind::kNull;
  node.line = 1;
  Diagnostics diagnostics;
  YamlReader reader("f", {"", "/devices/0/memory"}, diagnostics);
  EXPECT_EQ(reader.Size(node), std::nullopt);
  EXPECT_THAT(diagnostics.Text(),
              StartsWith("f#/devices/0/memory: found nothing, expected a size"));
}

TEST(YamlReaderTest, WholeNumbersOutsideTheRangeAndOtherValuesAreRefused) {
  const auto read = [](YamlReader& reader, const YamlNode& node) { return reader.Int(node, 1, 9); };
  EXPECT_EQ(ReadingProblem("10", read), "f:1:4: found \"10\", expected a whole number from 1 to 9");
  for (const char* text : {"0", "1.5", "1e0", "0x5", "\"5\"", "~", "[5]", "99999999999999999999"}) {
    EXPECT_THAT(ReadingProblem(text, read), HasSubstr("a whole number from 1 to 9"));
  }
}

TEST(YamlReaderTest, NumbersThatAreNotFiniteAreRefused) {
  const auto read = [](YamlReader& reader, const YamlNode& node) {
    return reader.Double(node, 0, 1);
  };
  for (const char* text : {".inf", "inf", "nan", ".nan", "1e999", "-0.1", "1.1"}) {
    EXPECT_THAT(ReadingProblem(text, read), HasSubstr("a number from 0 to 1")) << text;
  }
}

TEST(YamlReaderTest, OnlyTrueAndFalseAreTruthValues) {
  const auto read = [](YamlReader& reader, const YamlNode& node) { return reader.Bool(node); };
  for (const char* text : {"yes", "on", "True", "1", "\"true\""}) {
    EXPECT_THAT(ReadingProblem(text, read), HasSubstr("true or false"));
  }
}

TEST(YamlReaderTest, ANumberMustBeQuotedToBeText) {
  const auto read = [](YamlReader& reader, const YamlNode& node) { return reader.Text(node); };
  EXPECT_THAT(ReadingProblem("12", read), HasSubstr("write it in quotes"));
  EXPECT_THAT(ReadingProblem("\"\"", read), HasSubstr("expected text"));
}

TEST(YamlReaderTest, NamesHoldNoSpacesOrSlashes) {
  const auto read = [](YamlReader& reader, const YamlNode& node) { return reader.Name(node); };
  EXPECT_THAT(ReadingProblem("a b", read), HasSubstr("a name"));
  EXPECT_THAT(ReadingProblem("../x", read), HasSubstr("a name"));
}

TEST(YamlReaderTest, AWrongChoiceGetsTheListAndASuggestion) {
  const auto read = [](YamlReader& reader, const YamlNode& node) {
    return reader.Choice(node, {"serial", "fair"});
  };
  EXPECT_EQ(ReadingProblem("seriel", read),
            "f:1:4: found \"seriel\", expected one of serial, fair; did you mean \"serial\"?");
}

TEST(YamlReaderTest, ControlCharactersDoNotReachMessages) {
  const auto read = [](YamlReader& reader, const YamlNode& node) { return reader.Bool(node); };
  EXPECT_EQ(ReadingProblem("\"a\\e[31m\\nb\"", read),
            "f:1:4: found \"a?[31m?b\", expected true or false");
}

TEST(YamlMapTest, UnknownAndMissingKeysAreReported) {
  const YamlNode root = Parse("nam: x\nzzzzzzzz: y\n");
  Diagnostics diagnostics;
  YamlReader reader("f", diagnostics);
  YamlMap map(reader, root, "device");
  EXPECT_EQ(map.Required("name"), nullptr);
  map.Finish();
  EXPECT_EQ(diagnostics.Text(),
            "f:1:1: key \"name\" is missing from device\n"
            "f:1:1: unknown key \"nam\" in device; did you mean \"name\"?\n"
            "f:2:1: unknown key \"zzzzzzzz\" in device, expected one of name");
}

TEST(YamlMapTest, AnotherValueInPlaceOfAMapIsOneProblem) {
  const YamlNode root = Parse("[1]\n");
  Diagnostics diagnostics;
  YamlReader reader("f", diagnostics);
  YamlMap map(reader, root, "device");
  EXPECT_EQ(map.Required("name"), nullptr);
  map.Finish();
  EXPECT_EQ(diagnostics.Text(), "f:1:1: found a list, expected a map: device");
}

}  // namespace
}  // namespace opyard::sim
