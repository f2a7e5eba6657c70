#include "agents/genetic/key_ranks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "agents/genetic/gene_sampler.h"
#include "env/action_codec.h"

namespace opyard::agents {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(KeyRanksTest, EqualKeysHaveEqualRanksAndRanksHaveNoGap) {
  EXPECT_THAT(RanksOfKeys(Chromosome{0.5F, 0.25F, 0.75F, 0.25F}), ElementsAre(1, 0, 2, 0));
  EXPECT_THAT(RanksOfKeys(Chromosome{}), IsEmpty());
}

TEST(KeyRanksTest, TellsTheLastBitApart) {
  const float last = 1.0F - 0x1p-24F;
  EXPECT_THAT(RanksOfKeys(Chromosome{last, 0x1p-24F, 0.0F, 1.0F - 0x1p-23F}),
              ElementsAre(3, 1, 0, 2));
}

TEST(KeyRanksTest, AreThoseOfTheSlowWay) {
  Rng rng(1);
  for (const std::size_t size : {1, 2, 255, 3'000}) {
    Chromosome keys = GeneSampler().Sample(size, rng);
    for (std::size_t i = 0; i + 2 < size; i += 3) {
      keys[i] = keys[i + 2];  // ties
    }
    EXPECT_EQ(RanksOfKeys(keys), env::RanksOf(std::vector<double>(keys.begin(), keys.end())));
  }
}

}  // namespace
}  // namespace opyard::agents
