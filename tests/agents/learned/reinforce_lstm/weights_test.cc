// Which problems the weights of a network serve.
#include <filesystem>
#include <memory>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "agents/learned/common/torch_session.h"
#include "agents/learned/reinforce_lstm/search.h"
#include "sim/base/error.h"
#include "tests/agents/problems.h"
#include "tests/support/small_graphs.h"
#include "tests/support/temporary_folder.h"

namespace opyard::agents::reinforce_lstm {
namespace {

using ::testing::HasSubstr;
using testing::MakeProblem;
using testing::UnevenOp;

constexpr TrainingOptions kSmallWeights{.groups = {.rule = GroupingRule::kProblem},
                                        .sizes = {.hidden = 12, .attention = 6, .embedding = 5}};

std::shared_ptr<const env::Problem> ChainOn(std::int32_t num_ops, std::int32_t num_devices) {
  std::vector<sim::OpSpec> ops;
  for (std::int32_t i = 0; i < num_ops; ++i) {
    std::vector<sim::InputRef> inputs;
    if (i > 0) {
      inputs.push_back({i - 1, 0});
    }
    ops.push_back(UnevenOp("op" + std::to_string(i),
                           std::vector<std::int64_t>(static_cast<std::size_t>(num_devices), 3 + i),
                           inputs));
  }
  return MakeProblem(opyard::testing::MakeGraph(std::move(ops)),
                     opyard::testing::MeshMachine(num_devices));
}

class ColocRlWeightsTest : public ::testing::Test {
 protected:
  // Saves the weights of a network for four ops on two devices.
  void Save(const Sizes& sizes) {
    TrainingOptions options = kSmallWeights;
    options.sizes = sizes;
    WriteCheckpoint(Search(*problem_, options, 1).learner().ToWeights(), file());
  }
  [[nodiscard]] Search SearchWithThem(const env::Problem& problem) const {
    return {problem, kSmallWeights, 2, {.weights = file()}};
  }
  [[nodiscard]] std::filesystem::path file() const { return folder_.path() / "weights"; }

  std::shared_ptr<const env::Problem> problem_ = ChainOn(4, 2);

 private:
  opyard::testing::TemporaryFolder folder_;
  TorchSession one_thread_{1};
};

TEST_F(ColocRlWeightsTest, ASearchBeginsWithTheWeightsOfAFileAndHasItsNetwork) {
  TrainingOptions wider = kSmallWeights;
  wider.sizes.hidden = 20;
  Search first(*problem_, wider, 1);
  WriteCheckpoint(first.learner().ToWeights(), file());
  Search second = SearchWithThem(*problem_);

  EXPECT_EQ(second.policy().sizes().hidden, 20);
  const auto expected = first.policy().parameters();
  const auto found = second.policy().parameters();
  ASSERT_EQ(expected.size(), found.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_TRUE(torch::equal(expected[i], found[i]));
  }
}

TEST_F(ColocRlWeightsTest, ByDefaultTheyServeAnyNumberOfGroupsAndDevices) {
  Save(kSmallWeights.sizes);
  const auto larger = ChainOn(5, 3);
  Search search = SearchWithThem(*larger);
  env::Evaluator evaluator(larger, {.budget = {.evaluations = 4}});

  EXPECT_EQ(search.Update(evaluator)->rewards.size(), 4U);
}

TEST_F(ColocRlWeightsTest, OfAFaithfulNetworkTheyServeEqualNumbersOnly) {
  Sizes faithful = kSmallWeights.sizes;
  faithful.faithful = true;
  Save(faithful);
  try {
    static_cast<void>(SearchWithThem(*ChainOn(4, 3)));
    FAIL() << "weights for another machine were taken";
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("config num_devices: found 2, expected 3"));
    EXPECT_THAT(error.what(), HasSubstr("tensor weight.head.weight: found float32 2 24"));
  }
}

TEST_F(ColocRlWeightsTest, WithAdjacencyRowsTheyServeAnyMachineButOneNumberOfGroups) {
  Sizes rows = kSmallWeights.sizes;
  rows.adjacency = Adjacency::kRows;
  Save(rows);

  const auto three_devices = ChainOn(4, 3);
  EXPECT_EQ(SearchWithThem(*three_devices).policy().sizes().num_groups, 4);
  try {
    static_cast<void>(SearchWithThem(*ChainOn(5, 2)));
    FAIL() << "weights for another number of groups were taken";
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("config num_groups: found 4, expected 5"));
  }
}

TEST_F(ColocRlWeightsTest, AFaithfulNetworkThatSeesMeansServesAnyGraphOnEqualDevices) {
  Sizes means = kSmallWeights.sizes;
  means.faithful = true;
  means.adjacency = Adjacency::kMeans;
  Save(means);

  const auto larger = ChainOn(6, 2);
  EXPECT_EQ(SearchWithThem(*larger).policy().sizes().num_devices, 2);
  EXPECT_THROW(static_cast<void>(SearchWithThem(*ChainOn(4, 3))), InputError);
}

}  // namespace
}  // namespace opyard::agents::reinforce_lstm
