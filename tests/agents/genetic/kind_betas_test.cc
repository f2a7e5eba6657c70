#include "agents/genetic/kind_betas.h"

#include <cmath>

#include <gtest/gtest.h>

#include "tests/agents/problems.h"
#include "tests/support/golden_graphs.h"

namespace opyard::agents {
namespace {

std::shared_ptr<const env::Problem> Problem() {
  return testing::MakeProblem(
      opyard::testing::MixedGraph(), testing::MeshWithCpu(2), testing::kAll);
}

double MeanOf(std::span<const float> genes,
              std::size_t first,
              std::size_t count,
              std::size_t step) {
  double sum = 0.0;
  for (std::size_t i = 0; i < count; ++i) {
    sum += static_cast<double>(genes[first + i * step]);
  }
  return sum / static_cast<double>(count);
}

TEST(KindBetasTest, AreUniformByDefault) {
  const auto problem = Problem();
  const GeneLayout layout(*problem, {});
  EXPECT_EQ(SamplerOf(*problem, layout, {}).num_shaped_genes(), 0U);
}

TEST(KindBetasTest, ShapeTheGenesOfTheirKindAlone) {
  const auto problem = Problem();
  const GeneLayout layout(*problem, {.transfer_genes = true});
  // All but points: 0.9, 0.1 and 0.7. d0 and d1 are GPUs, d2 is the host.
  const GeneSampler sampler = SamplerOf(*problem,
                                        layout,
                                        {.first_device_alpha = 90.0,
                                         .first_device_beta = 10.0,
                                         .host_alpha = 10.0,
                                         .host_beta = 90.0,
                                         .fusion_alpha = 70.0,
                                         .fusion_beta = 30.0});
  ASSERT_EQ(sampler.num_shaped_genes(), layout.num_genes());
  Rng rng(1);
  const std::size_t groups = layout.num_groups;
  double uniform = 0.0;
  constexpr int kSamples = 200;
  for (int sample = 0; sample < kSamples; ++sample) {
    const Chromosome genes = sampler.Sample(layout.num_genes(), rng);
    // Standard deviation of a gene below 0.05; six of them over at least sqrt(groups).
    EXPECT_NEAR(MeanOf(genes, 0, groups, 3), 0.9, 0.3 / std::sqrt(static_cast<double>(groups)));
    EXPECT_NEAR(MeanOf(genes, 2, groups, 3), 0.1, 0.3 / std::sqrt(static_cast<double>(groups)));
    EXPECT_NEAR(MeanOf(genes, layout.first_fusion(), groups, 1),
                0.7,
                0.3 / std::sqrt(static_cast<double>(groups)));
    uniform += MeanOf(genes, layout.first_priority(), groups * 4, 1) / kSamples;
  }
  // Priorities and genes of copies: standard deviation 0.289 over sqrt(4 · 200 · groups); five.
  EXPECT_NEAR(uniform, 0.5, 5 * 0.289 / std::sqrt(4.0 * kSamples * static_cast<double>(groups)));
}

}  // namespace
}  // namespace opyard::agents
