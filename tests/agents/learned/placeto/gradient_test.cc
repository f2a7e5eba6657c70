// Placeto's networks on the features of a real graph.
#include <gtest/gtest.h>

#include "agents/learned/common/torch_session.h"
#include "agents/learned/placeto/search.h"
#include "tests/agents/learned/real_problem.h"

namespace opyard::agents::placeto {
namespace {

TEST(PlacetoGradientTest, EveryParameterHasOneOnRealFeatures) {
  const TorchSession one_thread(1);
  const auto problem = testing::TinyGnmt();
  for (const Layers layers : {Layers::kCompact, Layers::kPublished}) {
    for (const bool faithful : {true, false}) {
      SCOPED_TRACE(faithful);
      TrainingOptions options;
      options.sizes.layers = layers;
      options.sizes.faithful = faithful;
      options.episode.start = EpisodeStart::kRandom;
      Search search(*problem, options, 3);
      env::Evaluator evaluator(problem, {});
      Rng rng(4);
      const Episode episode = *Play(
          search.view(), options.episode, std::nullopt, search.learner().policy(), evaluator, rng);
      std::vector<double> advantages;
      for (std::size_t step = 0; step < episode.nodes.size(); ++step) {
        advantages.push_back(step % 2 == 0 ? 1.0 : -0.5);
      }
      static_cast<void>(search.learner().ComputeGradient(search.view(), episode, advantages, 0.1));
      testing::ExpectGradientsEverywhere(search.learner().policy());
    }
  }
}

}  // namespace
}  // namespace opyard::agents::placeto
