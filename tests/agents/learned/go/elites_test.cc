#include "agents/learned/go/elites.h"

#include <gtest/gtest.h>

namespace opyard::agents::go {
namespace {

// Plans of one task and two groups: [K, 1, 2].
torch::Tensor Plans(const std::vector<std::int64_t>& actions) {
  return torch::tensor(actions, torch::kLong).view({-1, 1, 2});
}

TEST(ElitesTest, TheBestAreThereBestFirst) {
  Elites elites(2);
  elites.Add(Plans({0, 0, 0, 1, 1, 0}), {-3.0, -1.0, -2.0});
  elites.Add(Plans({1, 1}), {-1.5});
  EXPECT_TRUE(torch::equal(elites.plans(), Plans({0, 1, 1, 1})));
}

TEST(ElitesTest, OfEqualRewardsTheEarlierOneIsBetter) {
  Elites elites(1);
  elites.Add(Plans({0, 1, 1, 0}), {-1.0, -1.0});
  EXPECT_TRUE(torch::equal(elites.plans(), Plans({0, 1})));
}

TEST(ElitesTest, APlanIsThereOnce) {
  Elites elites(3);
  elites.Add(Plans({0, 1, 0, 1, 0, 0}), {-1.0, -1.0, -2.0});
  elites.Add(Plans({0, 1}), {-1.0});
  EXPECT_TRUE(torch::equal(elites.plans(), Plans({0, 1, 0, 0})));
}

TEST(ElitesTest, AFailureIsNone) {
  Elites elites(3);
  elites.Add(Plans({0, 1, 1, 1}), {-10.0, -2.0});
  EXPECT_TRUE(torch::equal(elites.plans(), Plans({1, 1})));
}

// A batch that is written over later is no elite's business.
TEST(ElitesTest, PlansAreCopies) {
  Elites elites(1);
  const torch::Tensor plans = Plans({0, 1});
  elites.Add(plans, {-1.0});
  plans.zero_();
  EXPECT_TRUE(torch::equal(elites.plans(), Plans({0, 1})));
}

}  // namespace
}  // namespace opyard::agents::go
