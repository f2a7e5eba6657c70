#include "agents/learned/common/checkpoint.h"

#include <filesystem>
#include <fstream>
#include <iterator>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/base/error.h"
#include "tests/support/temporary_folder.h"

namespace opyard::agents {
namespace {

using ::testing::HasSubstr;

Checkpoint Example() {
  return {.agent = "example",
          .feature_version = 3,
          .config = {{"hidden", "5"}},
          .record = {{"train", "[\"a b\", 2]"}, {"empty", ""}},
          .tensors = {{"weight", torch::arange(6, torch::kFloat).view({2, 3})},
                      {"step", torch::tensor({std::int64_t{1} << 60}, torch::kLong)}}};
}

std::string MessageOf(const std::function<void()>& work) {
  try {
    work();
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

TEST(CheckpointTest, WhatIsWrittenIsRead) {
  const opyard::testing::TemporaryFolder folder;
  WriteCheckpoint(Example(), folder.path() / "a");
  const Checkpoint found = ReadCheckpoint(folder.path() / "a");
  EXPECT_NO_THROW(RequireMatch(found, Example(), "a"));
  EXPECT_EQ(found.record, Example().record);
  EXPECT_TRUE(torch::equal(found.tensors.at("weight"), Example().tensors.at("weight")));
  EXPECT_TRUE(torch::equal(found.tensors.at("step"), Example().tensors.at("step")));
}

// GO's embeddings of actions were called `told`; the moments of Adam have the same names.
TEST(CheckpointTest, TensorsOfFormerNamesAreReadByTheNewOnes) {
  const opyard::testing::TemporaryFolder folder;
  const std::filesystem::path path = folder.path() / "go.opyard";
  WriteCheckpoint({.agent = "go",
                   .tensors = {{"told0.weight", torch::ones(2)},
                               {"adam.mean.told1.weight", torch::zeros(3)},
                               {"told.weight", torch::zeros(1)}}},
                  path);
  const Checkpoint found = ReadCheckpoint(path);
  EXPECT_EQ(found.tensors.size(), 3U);
  EXPECT_TRUE(torch::equal(found.tensors.at("action_embedding0.weight"), torch::ones(2)));
  EXPECT_TRUE(found.tensors.contains("adam.mean.action_embedding1.weight"));
  EXPECT_TRUE(found.tensors.contains("told.weight"));
}

TEST(CheckpointTest, EveryCutIsRefused) {
  const opyard::testing::TemporaryFolder folder;
  const std::filesystem::path path = folder.path() / "a";
  WriteCheckpoint(Example(), path);
  const auto num_bytes = std::filesystem::file_size(path);
  for (std::uintmax_t size = 0; size < num_bytes; ++size) {
    WriteCheckpoint(Example(), path);
    std::filesystem::resize_file(path, size);
    EXPECT_THAT(MessageOf([&] { static_cast<void>(ReadCheckpoint(path)); }),
                HasSubstr("not a checkpoint of opyard"))
        << size;
  }
}

TEST(CheckpointTest, ATensorLargerThanTheFileIsRefusedBeforeItIsAllocated) {
  const opyard::testing::TemporaryFolder folder;
  const auto path = folder.Write(
      "a", "opyard-checkpoint/2\nagent x\ntensor weight float32 4611686018427387904 8\nend\n");
  EXPECT_THAT(MessageOf([&] { static_cast<void>(ReadCheckpoint(path)); }),
              HasSubstr("a:3: not a checkpoint of opyard: a tensor larger than the file"));
}

TEST(CheckpointTest, AnOlderOneIsDistinguishedFromDamage) {
  const opyard::testing::TemporaryFolder folder;
  const auto path = folder.Write("a", "opyard-checkpoint/1\nagent x\nend\n");
  EXPECT_THAT(MessageOf([&] { static_cast<void>(ReadCheckpoint(path)); }),
              HasSubstr("an older version wrote it; train again"));
}

TEST(CheckpointTest, RecordsMayDiffer) {
  Checkpoint other = Example();
  other.record.clear();
  EXPECT_NO_THROW(RequireMatch(Example(), other, "a"));
}

TEST(CheckpointTest, WhatIsMissingIsNamed) {
  EXPECT_EQ(MessageOf([] { static_cast<void>(TextOf(Example(), "width", "a")); }),
            "a: config width: missing");
  EXPECT_EQ(MessageOf([] { static_cast<void>(WholeNumberOf(Example(), "weight", "a")); }),
            "a: tensor weight: missing, expected int64 1");
  EXPECT_EQ(WholeNumberOf(Example(), "step", "a"), std::int64_t{1} << 60);
}

TEST(CheckpointTest, AMismatchNamesAllDifferences) {
  Checkpoint expected = Example();
  expected.agent = "other";
  expected.feature_version = 4;
  expected.config["hidden"] = "7";
  expected.tensors["weight"] = torch::zeros({2, 2});
  const std::string message = MessageOf([&] { RequireMatch(Example(), expected, "a"); });
  EXPECT_THAT(message, HasSubstr("agent: found example, expected other"));
  EXPECT_THAT(message, HasSubstr("feature_version: found 3, expected 4"));
  EXPECT_THAT(message, HasSubstr("config hidden: found 5, expected 7"));
  EXPECT_THAT(message, HasSubstr("tensor weight: found float32 2 3, expected float32 2 2"));
}

TEST(CheckpointTest, AMissingFileIsNamed) {
  EXPECT_THAT(MessageOf([] { static_cast<void>(ReadCheckpoint("no/such.checkpoint")); }),
              HasSubstr("no/such.checkpoint"));
}

}  // namespace
}  // namespace opyard::agents
