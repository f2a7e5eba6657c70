#include "agents/genetic/gene_codec.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "agents/planning/all_initial_plans.h"
#include "agents/planning/encoding/decisions.h"
#include "tests/agents/problems.h"
#include "tests/support/small_graphs.h"

namespace opyard::agents {
namespace {

using opyard::testing::MakeGraph;
using opyard::testing::MeshMachine;
using opyard::testing::TimedOp;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::MakeProblem;

constexpr DeviceId kD0{std::int32_t{0}};
constexpr DeviceId kD1{std::int32_t{1}};
constexpr DeviceId kD2{std::int32_t{2}};
constexpr GeneChoice kWithTransfers{.transfer_genes = true};

std::shared_ptr<const env::Problem> TwoOpsOneOnTheHost(env::TaskSet tasks) {
  std::vector<sim::OpSpec> ops{TimedOp("a", 2), TimedOp("host", 3)};
  ops[1].device_kinds = sim::DeviceKindSet::None();
  ops[1].device_kinds.Insert(sim::DeviceKind::kCpu);
  return MakeProblem(MakeGraph(ops), testing::MeshWithCpu(2), tasks);
}

// a and b each feed c and d.
std::shared_ptr<const env::Problem> TwoOfTwo(env::TaskSet tasks) {
  return MakeProblem(MakeGraph({TimedOp("a", 2, {}, {1000, 1000}),
                                TimedOp("b", 3),
                                TimedOp("c", 5, {{0, 0}, {0, 1}, {1, 0}}),
                                TimedOp("d", 7, {{0, 0}, {1, 0}})}),
                     MeshMachine(3),
                     tasks);
}

TEST(GeneCodecTest, AGroupGoesToItsGreatestLegalAffinity) {
  const auto problem = TwoOpsOneOnTheHost(testing::kBoth);
  const GeneCodec codec(*problem, {});
  ASSERT_EQ(codec.layout().num_genes(), 2U * 3 + 2);
  const Chromosome genes{0.25F, 0.875F, 0.375F, 0.75F, 0.625F, 0.125F, 0.375F, 0.625F};
  const sim::Plan plan = codec.Decode(genes);
  EXPECT_THAT(plan.placement, ElementsAre(kD1, kD2));
  EXPECT_THAT(plan.op_priority, ElementsAre(0, 1));
  EXPECT_THAT(plan.transfer_priority, IsEmpty());
}

TEST(GeneCodecTest, EqualAffinitiesGoToTheFirstDevice) {
  const auto problem = TwoOpsOneOnTheHost(testing::kPlacement);
  EXPECT_THAT(GeneCodec(*problem, {}).Decode(Chromosome(6, 0.5F)).placement, ElementsAre(kD0, kD2));
}

TEST(GeneCodecTest, FusionGenesAreTwentyLevelsOfEqualWidth) {
  const auto problem = TwoOpsOneOnTheHost(testing::kFusion);
  const GeneCodec codec(*problem, {});
  // Level 0, which declines, below 1/20; level 19 from 19/20.
  EXPECT_THAT(codec.Decode(Chromosome{0.049F, 0.951F}).fusion_priority, ElementsAre(0, 19));
  EXPECT_THAT(codec.Decode(Chromosome{0.051F, 0.949F}).fusion_priority, ElementsAre(1, 18));
}

TEST(GeneCodecTest, HasGenesForOpenTasksAndChosenKindsOnly) {
  const auto all = TwoOpsOneOnTheHost(testing::kAll);
  // 2 groups on 3 devices: 6 affinities, 2 priorities, 6 transfers, 2 fusions.
  EXPECT_EQ(GeneLayout(*all, kWithTransfers).num_genes(), 16U);
  EXPECT_EQ(GeneLayout(*all, {}).num_genes(), 10U);
  EXPECT_EQ(GeneLayout(*all, {.fusion_genes = false}).num_genes(), 8U);
  EXPECT_EQ(GeneLayout(*TwoOpsOneOnTheHost(testing::kPlacement), kWithTransfers).num_genes(), 6U);
  EXPECT_EQ(GeneLayout(*TwoOpsOneOnTheHost(testing::kScheduling), kWithTransfers).num_genes(), 8U);
}

TEST(GeneCodecTest, WithoutFusionGenesTheDefaultFusionStays) {
  const auto all = TwoOpsOneOnTheHost(testing::kAll);
  EXPECT_EQ(GeneCodec(*all, {.fusion_genes = false}).Decode(Chromosome(8, 0.5F)).fusion_priority,
            all->default_fusion_priority());
}

TEST(GeneCodecTest, ACopyHasTheGeneOfItsProducerAndItsDestination) {
  const auto problem = TwoOfTwo(testing::kBoth);
  const GeneCodec codec(*problem, kWithTransfers);
  const GeneLayout& layout = codec.layout();
  ASSERT_EQ(layout.num_genes(), 4U * 3 + 4 + 4 * 3);
  // a on d0, b on d1, c on d1, d on d2.
  Chromosome genes(layout.num_genes(), 0.125F);
  for (const auto& [group, device] : {std::pair(0, 0), {1, 1}, {2, 1}, {3, 2}}) {
    genes[static_cast<std::size_t>(group * 3 + device)] = 0.5F;
  }
  const std::size_t a = layout.first_transfer();
  genes[a + 1] = 0.75F;
  genes[a + 2] = 0.25F;
  genes[a + 3 + 2] = 0.5F;
  // Copies: both outputs of a to d1, output 0 of a and b's to d2; c reads b at home.
  const std::vector<sim::TransferPriority> expected = {
      {.tensor = TensorId(0), .destination = kD1, .priority = 2},
      {.tensor = TensorId(0), .destination = kD2, .priority = 0},
      {.tensor = TensorId(1), .destination = kD1, .priority = 2},
      {.tensor = TensorId(2), .destination = kD2, .priority = 1}};
  EXPECT_EQ(codec.Decode(genes).transfer_priority, expected);
}

TEST(GeneCodecTest, EncodedCopiesHaveTheOrderOfTheirReaders) {
  const auto problem = TwoOfTwo(testing::kBoth);
  const GeneCodec codec(*problem, kWithTransfers);
  Rng rng(3);
  // c and d on d1 and d2, a and b on d0: copies to d1 go by c, those to d2 by d.
  const Decisions decisions{.device_of_group = {kD0, kD0, kD1, kD2},
                            .priority_of_group = {3, 1, 0, 2}};
  const sim::Plan plan = codec.Decode(codec.Encode(decisions, rng));
  EXPECT_THAT(plan.op_priority, ElementsAre(3, 1, 0, 2));
  ASSERT_EQ(plan.transfer_priority.size(), 5U);
  for (const sim::TransferPriority& copy : plan.transfer_priority) {
    EXPECT_EQ(copy.priority, copy.destination == kD1 ? 0 : 1);
  }
}

TEST(GeneCodecTest, EncodedFusionLevelsDecodeToThemselves) {
  const auto problem = TwoOpsOneOnTheHost(testing::kFusion);
  const GeneCodec codec(*problem, {});
  Rng rng(1);
  for (std::int32_t level = 0; level < kNumFusionLevels; ++level) {
    const Decisions decisions{.fusion_of_group = {level, kNumFusionLevels - 1 - level}};
    EXPECT_EQ(codec.Decode(codec.Encode(decisions, rng)).fusion_priority,
              decisions.fusion_of_group);
  }
}

// a on d0 feeds b and c on d1, which its one copy of 0 goes to.
TEST(GeneCodecTest, WithAnOrderGenesMoveOpsAndCopiesFromTheirPlaces) {
  const auto problem = TwoOfTwo(testing::kBoth);
  // Ranks 3, 2, 1, 0: of_op is 20 times the rank, a level 2 · 4 ops.
  Decisions decisions{.device_of_group = {kD0, kD0, kD1, kD2}};
  SetOrder(*problem, std::vector<std::int64_t>{9, 7, 5, 3}, kDefaultLevels, decisions);
  const GeneCodec codec(*problem, kWithTransfers, decisions.order);
  Rng rng(3);
  Chromosome genes = codec.Encode(decisions, rng);
  EXPECT_THAT(codec.Decode(genes).op_priority, ElementsAre(60 + 80, 40 + 80, 20 + 80, 0 + 80));
  EXPECT_THAT(codec.Decode(genes).transfer_priority, IsEmpty());  // copies go by their readers
  genes[codec.layout().first_priority() + 3] = 0.999F;            // d: level 19
  genes[codec.layout().first_transfer() + 2] = 0.0F;              // from a to d2: level 0
  const sim::Plan plan = codec.Decode(genes);
  EXPECT_EQ(plan.op_priority[3], 0 + 8 * 19);
  // Output 0 of a goes to d2, for d; its other one does not leave d0 for there.
  const std::vector<sim::TransferPriority> expected = {
      {.tensor = TensorId(0), .destination = kD2, .priority = 8 * 19 - 8 * 10}};
  EXPECT_EQ(plan.transfer_priority, expected);
}

sim::SimResult Simulate(const std::shared_ptr<const env::Problem>& problem, const sim::Plan& plan) {
  env::Evaluator evaluator(problem, {});
  return evaluator.Evaluate(plan)->result;
}

// Every plan that a search may begin at, under each set of tasks: where genes can hold it, what
// they decode to takes as long, to the picosecond, in the same memory.
TEST(GeneCodecTest, EncodedStartsRunAsTheyDid) {
  std::size_t num_exact = 0;
  for (const env::TaskSet tasks : {testing::kPlacement,
                                   testing::kScheduling,
                                   testing::kBoth,
                                   testing::kFusion,
                                   testing::kAll}) {
    for (const testing::NamedProblem& named : testing::ConformanceProblems(tasks)) {
      SCOPED_TRACE(named.name);
      Rng rng(1);
      const std::vector<Decisions> starts =
          InitialPlans(*named.problem, {.evaluations_left = 2'000}, rng);
      for (const Decisions& start : starts) {
        for (const GeneChoice& choice : {GeneChoice{}, kWithTransfers}) {
          const GeneCodec codec(*named.problem, choice, start.order);
          if (!codec.IsExactFor(start)) {
            continue;
          }
          ++num_exact;
          EXPECT_EQ(Simulate(named.problem, codec.Decode(codec.Encode(start, rng))),
                    Simulate(named.problem, ToPlan(*named.problem, start)));
        }
      }
    }
  }
  EXPECT_GT(num_exact, 100U);
}

TEST(GeneCodecTest, SaysWhatGenesCannotHold) {
  const auto problem = TwoOfTwo(testing::kAll);
  Rng rng(1);
  const std::vector<Decisions> starts = InitialPlans(*problem, {.evaluations_left = 2'000}, rng);
  const Decisions& ordered = starts[0];
  const Decisions& equal = starts[1];
  ASSERT_NE(ordered.order, nullptr);
  ASSERT_EQ(equal.order, nullptr);
  EXPECT_TRUE(GeneCodec(*problem, {}, ordered.order).IsExactFor(ordered));
  EXPECT_FALSE(GeneCodec(*problem, {}, ordered.order).IsExactFor(equal));
  EXPECT_FALSE(GeneCodec(*problem, {}).IsExactFor(ordered));
  EXPECT_TRUE(GeneCodec(*problem, {}).IsExactFor(equal));
  // The tensors of a group share one gene per device: not of each what its readers say.
  EXPECT_FALSE(GeneCodec(*problem, kWithTransfers).IsExactFor(equal));
  EXPECT_FALSE(GeneCodec(*problem, {.fusion_genes = false}).IsExactFor(equal));
}

}  // namespace
}  // namespace opyard::agents
