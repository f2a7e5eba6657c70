// The cost of one update of HDP beside the bare matrix products of its network, in one run. Usage:
//
//   hdp_update GRAPH MACHINE [HIDDEN]
//
// Prints a line per part, in CPU seconds of one thread, each the least of five. The parts are
// sampling 4 plans, the same with their simulation, learning from them, and one forward and
// backward of the products alone. HIDDEN, 512 as published unless given, is the width of the LSTMs
// and of the attention. Ops are the units.
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <iomanip>
#include <iostream>
#include <string>
#include <vector>

#include <torch/torch.h>

#include "agents/learned/common/torch_session.h"
#include "agents/learned/hdp/grouped_graph.h"
#include "agents/learned/hdp/learner.h"
#include "agents/learned/hdp/search.h"
#include "graphs/graph_sources.h"
#include "sim/io/machine/profile_yaml.h"
#include "tests/benchmarks/update_timing.h"

namespace opyard::agents {
namespace {

using testing::LeastOfFive;
using testing::Print;
using testing::Product;
using testing::SecondsOf;

constexpr std::int64_t kSamples = 4;

// The products of the grouper, of the encoder's two directions, of the decoder step by step, and of
// the attention of all steps (Mirhoseini et al. 2018, section 3).
std::vector<Product> ProductsOf(const hdp::Sizes& sizes, const hdp::View& view) {
  const std::int64_t groups = sizes.num_groups;
  const std::int64_t half = sizes.hidden / 2;
  const std::int64_t all = kSamples * groups;
  const std::int64_t units = view.units.num_groups;
  const std::int64_t decoder_input = sizes.embedding + (sizes.faithful ? 0 : sizes.hidden);
  return {{units, hdp::OpFeatureWidth(sizes.faithful), sizes.grouper_hidden},
          {units, sizes.grouper_hidden, groups},
          {all, hdp::GroupWidth(groups), 4 * half, 2},
          {kSamples, half, 4 * half, 2 * groups},
          {kSamples, decoder_input, 4 * sizes.hidden, groups},
          {kSamples, sizes.hidden, 4 * sizes.hidden, groups},
          {all, sizes.hidden, sizes.embedding, 2},
          {all * groups, sizes.embedding, 1},
          {groups, groups, sizes.hidden, 1, kSamples},
          {all, 2 * sizes.hidden, sizes.num_devices}};
}

void Measure(const std::string& graph, const std::string& machine, std::int64_t hidden) {
  const TorchSession one_thread(1);
  const auto problem = std::make_shared<const env::Problem>(
      env::ProblemSpec{.graph = graphs::LoadGraph(graph), .hardware = sim::LoadMachine(machine)});
  hdp::TrainingOptions options;
  options.units = hdp::UnitKind::kOp;
  options.sizes.hidden = hidden;
  options.sizes.embedding = hidden;
  const hdp::View view = hdp::MakeView(*problem, options.units, options.sizes);
  const hdp::Sizes sizes = Fitted(options.sizes, view);
  Rng rng(1);
  hdp::Learner learner(options, sizes, rng);
  env::Evaluator evaluator(problem, {});
  RewardBaseline baseline(options.baseline.momentum);
  const double sample = LeastOfFive(
      [&] { static_cast<void>(learner.policy().Sample(view.features, kSamples, rng)); });
  hdp::Rollout samples;
  const double sample_and_evaluate =
      LeastOfFive([&] { samples = *learner.Sample(view, kSamples, evaluator, rng); });
  const double learn =
      LeastOfFive([&] { learner.Learn(view, samples, {.entropy_weight = 0.1}, baseline, rng); });
  const double bare = SecondsOf(ProductsOf(sizes, view));
  std::cout << problem->graph().num_ops() << " ops, " << sizes.num_groups << " groups, "
            << sizes.num_devices << " devices, hidden " << hidden << '\n';
  Print("sample", sample);
  Print("and simulate", sample_and_evaluate);
  Print("learn", learn);
  Print("products", bare);
  std::cout << "sample and learn : products " << std::setprecision(2) << (sample + learn) / bare
            << '\n';
}

}  // namespace
}  // namespace opyard::agents

int main(int argc, char** argv) {
  if (argc < 3 || argc > 4) {
    std::cerr << "expected: hdp_update GRAPH MACHINE [HIDDEN]\n";
    return 2;
  }
  try {
    opyard::agents::Measure(argv[1], argv[2], argc == 4 ? std::atoll(argv[3]) : 512);
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
  return 0;
}
