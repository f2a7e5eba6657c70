#include "agents/learned/common/size_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/base/error.h"

namespace opyard::agents {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

enum class Shape : std::uint8_t { kRound, kSquare };

struct Sizes {
  bool faithful = false;
  Shape shape = Shape::kRound;
  std::int64_t width = 5;
  std::int64_t made_for = 7;
  double temperature = 0.25;
};

SizeTable<Sizes> Table() {
  return SizeTable<Sizes>(
      {{.name = "faithful", .field = FlagField(&Sizes::faithful)},
       {.name = "shape", .field = WordField(&Sizes::shape, 2)},
       {.name = "width", .field = CountField(&Sizes::width, 2, 11)},
       {.name = "made_for", .field = WrittenAlone(CountField(&Sizes::made_for))},
       {.name = "temperature", .field = NumberField(&Sizes::temperature)}});
}

Checkpoint CheckpointOf(const Sizes& sizes) {
  Checkpoint checkpoint;
  checkpoint.config = Table().Write(sizes);
  return checkpoint;
}

std::string ErrorOf(const Checkpoint& checkpoint) {
  try {
    static_cast<void>(Table().Read(checkpoint, "weights"));
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(SizeTableTest, EachRowIsAnEntry) {
  EXPECT_THAT(Table().Write({.faithful = true}),
              ElementsAre(Pair("faithful", "1"),
                          Pair("made_for", "7"),
                          Pair("shape", "0"),
                          Pair("temperature", "0x1p-2"),
                          Pair("width", "5")));
}

TEST(SizeTableTest, WhatIsWrittenIsReadAgain) {
  const Sizes read = Table().Read(
      CheckpointOf({.faithful = true, .shape = Shape::kSquare, .width = 3, .temperature = 0.1}),
      "weights");
  EXPECT_TRUE(read.faithful);
  EXPECT_EQ(read.shape, Shape::kSquare);
  EXPECT_EQ(read.width, 3);
  EXPECT_EQ(read.temperature, 0.1);
}

TEST(SizeTableTest, WhatIsWrittenAloneIsNotRead) {
  EXPECT_EQ(Table().Read(CheckpointOf({.made_for = 2}), "weights").made_for, 7);
}

TEST(SizeTableTest, AnEntryThatDoesNotFitIsNamedWithWhatWasExpected) {
  Checkpoint wide = CheckpointOf({.width = 13});
  EXPECT_THAT(ErrorOf(wide), HasSubstr("weights: config width: found 13, expected 2 to 11"));
  Checkpoint shapeless = CheckpointOf({});
  shapeless.config["shape"] = "2";
  EXPECT_THAT(ErrorOf(shapeless), HasSubstr("config shape: found 2, expected less than 2"));
  shapeless.config.erase("shape");
  EXPECT_THAT(ErrorOf(shapeless), HasSubstr("config shape: missing"));
}

}  // namespace
}  // namespace opyard::agents
