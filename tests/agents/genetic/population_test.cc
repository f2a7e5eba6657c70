#include "agents/genetic/population.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "sim/base/check.h"

namespace opyard::agents {
namespace {

// Members with one key each and the fitnesses `values`.
std::vector<Member> Members(const std::vector<double>& values) {
  std::vector<Member> members;
  for (const double value : values) {
    members.push_back({.genes = {static_cast<float>(value) / 10.0F}, .fitness = {.value = value}});
  }
  return members;
}

std::vector<double> Values(const Population& population) {
  std::vector<double> values;
  for (const Member& member : population.members()) {
    values.push_back(member.fitness.value);
  }
  return values;
}

constexpr PopulationShape kFive{.size = 5, .num_elites = 2, .num_mutants = 1};

TEST(PopulationTest, MembersAreSortedBestFirst) {
  EXPECT_EQ(Values(Population(kFive, Members({5, 2, 7, 3, 4}))),
            (std::vector<double>{2, 3, 4, 5, 7}));
}

TEST(PopulationTest, EverybodyButTheElitesIsNew) {
  Population population(kFive, Members({5, 2, 7, 3, 4}));
  Rng rng(1);
  EXPECT_EQ(population.Breed(rng).size(), 3U);
  population.Replace(Members({9, 1, 8}));
  // The elites 2 and 3 stay, with their fitness.
  EXPECT_EQ(Values(population), (std::vector<double>{1, 2, 3, 8, 9}));
}

TEST(PopulationTest, PlansThatFitComeFirst) {
  std::vector<Member> members = Members({5, 2, 7, 3, 4});
  members[1].fitness = {.is_infeasible = true, .value = -9.0};
  members[3].fitness = {.is_infeasible = true, .value = -6.0};
  EXPECT_EQ(Values(Population(kFive, members)), (std::vector<double>{4, 5, 7, -9, -6}));
}

TEST(PopulationTest, AChildTakesSevenTenthsOfItsGenesFromTheElite) {
  const Chromosome elite(10'001, 0.25F);
  const Chromosome other(10'001, 0.75F);
  Rng rng(1);
  const Chromosome child = Crossover(elite, other, 0.7, rng);
  // Mean 7001, standard deviation sqrt(10001 · 0.21) = 46; five of them.
  EXPECT_NEAR(static_cast<double>(std::ranges::count(child, 0.25F)), 7001, 230);
  EXPECT_EQ(std::ranges::count(child, 0.25F) + std::ranges::count(child, 0.75F), 10'001);
}

TEST(PopulationTest, ChildrenHaveOneEliteAndOneOtherParent) {
  // 200 genes, unequal between all members: the parents of a child can be read from it.
  std::vector<Member> members;
  for (int i = 0; i < 5; ++i) {
    const float key = static_cast<float>(i) / 8.0F;
    members.push_back(
        {.genes = Chromosome(200, key), .fitness = {.value = static_cast<double>(i)}});
  }
  const Population population({.size = 5, .num_elites = 2, .num_mutants = 0}, members);
  Rng rng(3);
  for (int i = 0; i < 50; ++i) {
    for (const Newcomer& newcomer : population.Breed(rng)) {
      const Chromosome child = population.GenesOf(newcomer, GeneSampler());
      const auto [least, most] = std::ranges::minmax(child);
      EXPECT_LT(least, 2.0F / 8.0F);
      EXPECT_GE(most, 2.0F / 8.0F);
    }
  }
}

TEST(PopulationTest, MutantsComeLastAndFromTheSampler) {
  const Population population(kFive, Members({5, 2, 7, 3, 4}));
  Rng rng(1);
  const std::vector<Newcomer> newcomers = population.Breed(rng);
  EXPECT_TRUE(newcomers[0].parents.has_value());
  EXPECT_TRUE(newcomers[1].parents.has_value());
  EXPECT_FALSE(newcomers[2].parents.has_value());
  // A distribution that is all but a point.
  const GeneSampler sampler(std::vector<BetaShape>{{9'000.0, 1'000.0}});
  EXPECT_NEAR(population.GenesOf(newcomers[2], sampler).front(), 0.9F, 0.02F);
}

TEST(PopulationTest, ANewcomerAlwaysHasTheSameGenes) {
  const Population population(kFive, Members({5, 2, 7, 3, 4}));
  Rng rng(1);
  for (const Newcomer& newcomer : population.Breed(rng)) {
    EXPECT_EQ(population.GenesOf(newcomer, GeneSampler()),
              population.GenesOf(newcomer, GeneSampler()));
  }
}

TEST(PopulationTest, SomebodyMustNotBeElite) {
  EXPECT_THROW(Population({.size = 5, .num_elites = 5, .num_mutants = 0}, Members({1, 2, 3, 4, 5})),
               InternalError);
}

}  // namespace
}  // namespace opyard::agents
