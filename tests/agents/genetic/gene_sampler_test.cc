#include "agents/genetic/gene_sampler.h"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "sim/base/check.h"

namespace opyard::agents {
namespace {

double MeanOf(std::span<const float> genes) {
  double sum = 0.0;
  for (const float gene : genes) {
    sum += static_cast<double>(gene);
  }
  return sum / static_cast<double>(genes.size());
}

bool AreGenes(const Chromosome& genes) {
  return std::ranges::all_of(genes, [](float gene) {
    return gene >= 0.0F && gene < 1.0F && std::floor(gene * 0x1p24F) == gene * 0x1p24F;
  });
}

TEST(GeneSamplerTest, UniformGenesLieBelowOne) {
  Rng rng(1);
  const Chromosome genes = GeneSampler().Sample(10'001, rng);
  EXPECT_TRUE(AreGenes(genes));
  // Mean 1/2, standard deviation of the mean sqrt(1/12 / 10000) = 0.0029; five of them.
  EXPECT_NEAR(MeanOf(genes), 0.5, 0.0145);
}

TEST(GeneSamplerTest, EachGeneHasItsOwnDistribution) {
  // Three kinds in turn: uniform, mean 3/4, and nearly always at an end.
  constexpr std::size_t kEach = 4'000;
  std::vector<BetaShape> shapes;
  for (std::size_t i = 0; i < kEach; ++i) {
    shapes.insert(shapes.end(), {{1.0, 1.0}, {6.0, 2.0}, {1e-3, 1e-3}});
  }
  Rng rng(2);
  const Chromosome genes = GeneSampler(shapes).Sample(shapes.size(), rng);
  EXPECT_TRUE(AreGenes(genes));
  std::vector<Chromosome> of_kind(3);
  for (std::size_t i = 0; i < genes.size(); ++i) {
    of_kind[i % 3].push_back(genes[i]);
  }
  // Standard deviations: sqrt(1/12), sqrt(3/4 · 1/4 / 9), 1/2; five of them over sqrt(4000) = 63.2.
  EXPECT_NEAR(MeanOf(of_kind[0]), 0.5, 0.0229);
  EXPECT_NEAR(MeanOf(of_kind[1]), 0.75, 0.0115);
  EXPECT_NEAR(MeanOf(of_kind[2]), 0.5, 0.0396);
  // P(x < 2^−24) is about (2^−24)^0.001 / 2 = 0.4918, and likewise at the other end: 3,934 of
  // 4,000, standard deviation sqrt(4000 · 0.9836 · 0.0164) = 8; five of them.
  const auto at_an_end = std::ranges::count_if(
      of_kind[2], [](float gene) { return gene == 0.0F || gene == 1.0F - 0x1p-24F; });
  EXPECT_NEAR(static_cast<double>(at_an_end), 3'934, 40);
}

TEST(GeneSamplerTest, EqualGeneratorsGiveEqualGenes) {
  const std::vector<BetaShape> shapes = {{2.0, 3.0}, {1.0, 1.0}, {0.5, 0.5}};
  Rng a(4);
  Rng b(4);
  EXPECT_EQ(GeneSampler(shapes).Sample(3, a), GeneSampler(shapes).Sample(3, b));
}

// Held as they are, so that a change of the numbers does not go unseen: 24 bits each.
TEST(GeneSamplerTest, SamplesTheGenesThatItDrew) {
  const std::vector<BetaShape> shapes = {{2.0, 3.0}, {1.0, 1.0}, {0.5, 0.5}, {700.0, 100.0}};
  Rng rng(11);
  const Chromosome genes = GeneSampler(shapes).Sample(4, rng);
  std::vector<std::int64_t> bits;
  for (const float gene : genes) {
    bits.push_back(static_cast<std::int64_t>(gene * 0x1p24F));
  }
  EXPECT_EQ(bits, (std::vector<std::int64_t>{3'819'378, 4'114'792, 6'525'567, 14'790'799}));
}

// Common random numbers: each gene is the quantile of the uniform gene of the same generator.
TEST(GeneSamplerTest, QuantilesAreThoseOfTheUniformGenes) {
  std::vector<BetaShape> shapes(9, {6.0, 2.0});
  shapes[4] = {};
  Rng a(4);
  Rng b(4);
  const Chromosome uniform = GeneSampler().Sample(9, a);
  const Chromosome genes = GeneSampler(shapes, GeneSample::kQuantiles).Sample(9, b);
  EXPECT_EQ(a.state(), b.state());
  EXPECT_EQ(genes[4], uniform[4]);
  const BetaQuantiles quantiles(shapes[0]);
  for (const std::size_t i : {0, 1, 8}) {
    EXPECT_EQ(genes[i], QuantileGene(quantiles, uniform[i]));
    // Half of the middle of the interval that the gene stands for, and the gene's rounding.
    EXPECT_NEAR(genes[i], quantiles.At(static_cast<double>(uniform[i])), 1e-5);
  }
}

TEST(GeneSamplerTest, QuantilesHaveTheirDistribution) {
  constexpr std::size_t kGenes = 4'000;
  Rng rng(2);
  const std::vector<BetaShape> shapes(kGenes, {6.0, 2.0});
  const Chromosome genes = GeneSampler(shapes, GeneSample::kQuantiles).Sample(kGenes, rng);
  EXPECT_TRUE(AreGenes(genes));
  // As above: five of sqrt(3/4 · 1/4 / 9) / 63.2.
  EXPECT_NEAR(MeanOf(genes), 0.75, 0.0115);
}

TEST(GeneSamplerTest, NeedsOneShapePerGene) {
  Rng rng(1);
  EXPECT_THROW(
      {
        const Chromosome genes = GeneSampler(std::vector<BetaShape>(3)).Sample(2, rng);
        EXPECT_TRUE(genes.empty());
      },
      InternalError);
}

}  // namespace
}  // namespace opyard::agents
