#include "agents/base/option_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/base/check.h"
#include "sim/base/error.h"

namespace opyard::agents {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

enum class Colour : std::uint8_t { kRed, kBlue };

struct Sizes {
  std::int32_t width = 2;
};

struct Settings {
  double share = 0.5;
  bool is_loud = false;
  std::string file = "none.txt";
  Colour colour = Colour::kBlue;
  Sizes sizes{.width = 3};  // not the default of Sizes
};

OptionTable<Settings> Table() {
  return OptionTable<Settings>(
             {{.name = "share",
               .field = Real(&Settings::share, 0.25, 1.0),
               .meaning = "a share",
               .paper = "0.75"},
              {.name = "loud", .field = Flag(&Settings::is_loud), .meaning = "a flag"},
              {.name = "file", .field = Text(&Settings::file), .meaning = "a text"},
              {.name = "colour",
               .field = Word(&Settings::colour, {{"red", Colour::kRed}, {"blue", Colour::kBlue}}),
               .meaning = "a word"}})
      .With(&Settings::sizes,
            OptionTable<Sizes>({{.name = "width",
                                 .field = Whole(&Sizes::width, 1, 9),
                                 .meaning = "a whole number"}}));
}

Settings Read(std::map<std::string, OptionValue> values) {
  Options options(std::move(values));
  return Table().Read(options);
}

std::string Refusal(const std::string& name, OptionValue value) {
  try {
    static_cast<void>(Read({{name, std::move(value)}}));
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

TEST(OptionTableTest, WhatIsNotGivenKeepsItsDefault) {
  const Settings settings = Read({});
  EXPECT_EQ(settings.share, 0.5);
  EXPECT_FALSE(settings.is_loud);
  EXPECT_EQ(settings.file, "none.txt");
  EXPECT_EQ(settings.colour, Colour::kBlue);
  EXPECT_EQ(settings.sizes.width, 3);
}

TEST(OptionTableTest, WhatIsGivenIsReadIntoItsMember) {
  const Settings settings = Read({{"share", 0.75},
                                  {"loud", true},
                                  {"file", std::string("some.txt")},
                                  {"colour", std::string("red")},
                                  {"width", std::int64_t{7}}});
  EXPECT_EQ(settings.share, 0.75);
  EXPECT_TRUE(settings.is_loud);
  EXPECT_EQ(settings.file, "some.txt");
  EXPECT_EQ(settings.colour, Colour::kRed);
  EXPECT_EQ(settings.sizes.width, 7);
}

TEST(OptionTableTest, WhatIsNotLegalIsRefusedByTheNameOfItsOption) {
  EXPECT_EQ(Refusal("share", 0.2), "option share: found 0.2, expected a number in [0.25, 1]");
  EXPECT_EQ(Refusal("loud", std::int64_t{1}), "option loud: found 1, expected true or false");
  EXPECT_EQ(Refusal("file", 0.5), "option file: found 0.5, expected a text");
  EXPECT_EQ(Refusal("colour", std::string("green")),
            "option colour: found green, expected one of red, blue");
  EXPECT_EQ(Refusal("width", std::int64_t{10}),
            "option width: found 10, expected a whole number in [1, 9]");
}

TEST(OptionTableTest, DescribesEveryRowInItsOrder) {
  const std::vector<OptionInfo> options = Table().Describe();
  ASSERT_EQ(options.size(), 5U);
  EXPECT_EQ(options[0].name, "share");
  EXPECT_EQ(options[0].default_value, OptionValue(0.5));
  ASSERT_TRUE(options[0].range.has_value());
  EXPECT_EQ(options[0].range->low, OptionValue(0.25));
  EXPECT_EQ(options[0].range->high, OptionValue(1.0));
  EXPECT_EQ(options[0].meaning, "a share");
  EXPECT_EQ(options[0].paper, "0.75");
  EXPECT_THAT(options[1].allowed, ElementsAre(OptionValue(true), OptionValue(false)));
  EXPECT_EQ(options[2].default_value, OptionValue("none.txt"));
  EXPECT_TRUE(options[2].allowed.empty());
  EXPECT_FALSE(options[2].range.has_value());
  EXPECT_EQ(options[3].default_value, OptionValue("blue"));
  EXPECT_THAT(options[3].allowed, ElementsAre(OptionValue("red"), OptionValue("blue")));
  EXPECT_EQ(options[4].paper, "");
}

TEST(OptionTableTest, TheDefaultOfAPartIsTheOneOfTheWholeSettings) {
  EXPECT_EQ(Table().Describe().back().default_value, OptionValue(std::int64_t{3}));
}

TEST(OptionTableTest, OtherDefaultsAreReadAndDescribed) {
  Settings loud;
  loud.is_loud = true;
  loud.sizes.width = 7;
  const OptionTable<Settings> table = Table().WithDefaults(loud);
  EXPECT_EQ(table.Describe()[1].default_value, OptionValue(true));
  EXPECT_EQ(table.Describe().back().default_value, OptionValue(std::int64_t{7}));
  Options given(std::map<std::string, OptionValue>{{"width", std::int64_t{2}}});
  const Settings read = table.Read(given);
  EXPECT_TRUE(read.is_loud);
  EXPECT_EQ(read.sizes.width, 2);
}

TEST(OptionTableTest, TwoRowsOfOneNameAreOurMistake) {
  const OptionTable<Settings> twice = Table().With(Table().rows());
  EXPECT_THROW(static_cast<void>(twice.Describe()), InternalError);
}

TEST(OptionTableTest, ARowWithoutAMeaningIsOurMistake) {
  const OptionTable<Settings> table({{.name = "loud", .field = Flag(&Settings::is_loud)}});
  EXPECT_THROW(static_cast<void>(table.Describe()), InternalError);
}

std::vector<OptionFault> FaultsOf(const OptionTable<Settings>& table,
                                  std::map<std::string, OptionValue> values) {
  Options options(std::move(values));
  return table.Check(options);
}

TEST(OptionTableTest, CheckFindsEveryValueThatIsNotLegal) {
  const std::vector<OptionFault> faults =
      FaultsOf(Table(), {{"share", 7.0}, {"loud", true}, {"colour", std::string("green")}});
  EXPECT_THAT(
      faults,
      ElementsAre(OptionFault{"share", "option share: found 7, expected a number in [0.25, 1]"},
                  OptionFault{"colour", "option colour: found green, expected one of red, blue"}));
}

TEST(OptionTableTest, CheckAppliesRulesToValuesThatAreLegalOneByOne) {
  const OptionTable<Settings> table =
      Table().WithRule({.name = "share", .check = [](const Settings& settings) {
                          if (settings.is_loud && settings.share > 0.5) {
                            throw InputError("share: too loud");
                          }
                        }});
  EXPECT_THAT(FaultsOf(table, {{"loud", true}}), ElementsAre());
  EXPECT_THAT(FaultsOf(table, {{"loud", true}, {"share", 0.75}}),
              ElementsAre(OptionFault{"share", "share: too loud"}));
  EXPECT_THAT(FaultsOf(table, {{"loud", true}, {"share", 7.0}}),
              ElementsAre(::testing::Field(&OptionFault::name, "share")));
}

TEST(OptionTableTest, RulesOfAPartHoldForTheWhole) {
  const auto parts =
      OptionTable<Sizes>(
          {{.name = "width", .field = Whole(&Sizes::width, 1, 9), .meaning = "a whole number"}})
          .WithRule({.name = "width", .check = [](const Sizes& sizes) {
                       if (sizes.width == 5) {
                         throw InputError("width: found 5");
                       }
                     }});
  const auto table = OptionTable<Settings>().With(&Settings::sizes, parts);
  EXPECT_THAT(FaultsOf(table, {{"width", std::int64_t{5}}}),
              ElementsAre(OptionFault{"width", "width: found 5"}));
}

}  // namespace
}  // namespace opyard::agents
