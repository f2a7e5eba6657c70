// The cost of one update of GO, block by block, beside the bare matrix products of each block, in
// one run. Usage:
//
//   go_update GRAPH MACHINE placement|all group|op
//
// Prints a line per part, in CPU seconds of one thread. First come sampling 16 plans, the same with
// their simulation, learning from them by as many steps as at the defaults, and the greatest memory
// of the process until then. Then come forward and backward of each block of one such step.
// Decisions are those of the last resolution: a row per group, or per op.
#include <cstdint>
#include <exception>
#include <functional>
#include <iomanip>
#include <iostream>
#include <string>
#include <vector>

#include <sys/resource.h>
#include <torch/torch.h>

#include "agents/learned/common/torch_session.h"
#include "agents/learned/go/graph_encoder.h"
#include "agents/learned/go/learner.h"
#include "agents/learned/go/segment_attention.h"
#include "agents/learned/go/view.h"
#include "env/evaluator.h"
#include "graphs/graph_sources.h"
#include "sim/io/machine/profile_yaml.h"
#include "tests/benchmarks/update_timing.h"

namespace opyard::agents {
namespace {

using testing::LeastOfFive;
using testing::Print;
using testing::Product;
using testing::SecondsOf;

constexpr double kAllUsed = 1.0;  // share of the budget: elites count

std::vector<Product> SageProducts(std::int64_t rows, std::int64_t edges, std::int64_t hidden) {
  const auto edge_features = static_cast<std::int64_t>(env::kNumEdgeFeatures);
  return {{rows, hidden, hidden, 2}, {edges, edge_features, hidden, 2}, {rows, 3 * hidden, hidden}};
}

std::vector<Product> EncoderProducts(const go::Sizes& sizes, const OpGraph& graph) {
  const std::int64_t ops = graph.x.size(0);
  std::vector<Product> products = {{ops, sizes.type_embedding + graph.x.size(1), sizes.hidden}};
  for (std::int64_t i = 0; i < sizes.graph_layers; ++i) {
    const auto of_layer = SageProducts(ops, graph.links.producers.x.size(0), sizes.hidden);
    products.insert(products.end(), of_layer.begin(), of_layer.end());
  }
  return products;
}

// The products of one layer over `plans` sequences of `rows` rows.
std::vector<Product> AttentionProducts(const go::Sizes& sizes,
                                       std::int64_t plans,
                                       std::int64_t rows) {
  const std::int64_t segment = std::min(sizes.segment, rows);
  const std::int64_t num_segments = (rows + segment - 1) / segment;
  const std::int64_t seen = num_segments == 1 ? segment : 2 * segment;
  const std::int64_t all = plans * num_segments * segment;
  const std::int64_t batch = plans * num_segments * sizes.heads;
  const std::int64_t head = sizes.hidden / sizes.heads;
  return {{all, sizes.hidden, sizes.hidden, 2},
          {plans * num_segments * seen, sizes.hidden, 2 * sizes.hidden},
          {segment, head, seen, 1, batch},
          {segment, seen, head, 1, batch},
          {all, sizes.hidden, sizes.feed_forward},
          {all, sizes.feed_forward, sizes.hidden}};
}

// The first task once for all plans, the others for each; with their heads.
std::vector<Product> TaskProducts(const go::Sizes& sizes,
                                  const go::View& view,
                                  std::int64_t plans,
                                  std::int64_t rows) {
  std::vector<Product> products;
  for (const go::Task task : view.tasks) {
    const std::int64_t sequences = task == view.tasks.front() ? 1 : plans;
    const auto attention = AttentionProducts(sizes, sequences, rows);
    products.insert(products.end(), attention.begin(), attention.end());
    if (task == go::Task::kPlacement) {
      products.push_back({sequences * rows, sizes.hidden, sizes.hidden});
      products.push_back({sequences * rows, sizes.hidden, view.devices.x.size(0)});
    } else {
      products.push_back({sequences * rows, sizes.hidden, sizes.levels});
    }
  }
  return products;
}

void PrintBlock(const char* what, double seconds, const std::vector<Product>& products) {
  const double bare = SecondsOf(products);
  std::cout << std::left << std::setw(14) << what << std::fixed << std::setprecision(3) << seconds
            << " s, products " << bare << " s, ratio " << std::setprecision(1) << seconds / bare
            << '\n';
}

void MeasureBlocks(const go::View& view,
                   const go::TrainingOptions& options,
                   go::Learner& learner,
                   const torch::Tensor& actions) {
  Rng rng(1);
  const go::Sizes& sizes = options.sizes;
  const go::PolicyInput input = PolicyInputOf(view, view.resolutions.size() - 1);
  const std::int64_t rows = view.resolutions.back().sequence.num_groups;
  go::GraphEncoder encoder({.type_embedding = sizes.type_embedding,
                            .hidden = sizes.hidden,
                            .layers = sizes.graph_layers});
  go::SegmentAttention layer({.hidden = sizes.hidden,
                              .heads = sizes.heads,
                              .feed_forward = sizes.feed_forward,
                              .segment = sizes.segment});
  const torch::Tensor sequence = torch::randn({1, rows, sizes.hidden});
  const double encode = LeastOfFive([&] { learner.policy().Encode(input).rows.sum().backward(); });
  const double ops = LeastOfFive([&] { encoder.Forward(view.graph).sum().backward(); });
  const double attention = LeastOfFive([&] { layer.Forward(sequence).sum().backward(); });
  go::EncodedInput encoded{.rows = {}, .devices = learner.policy().Encode(input).devices.detach()};
  const double tasks = LeastOfFive([&] {
    encoded.rows = torch::randn({rows, sizes.hidden}).requires_grad_();
    learner.policy().EvaluateActions(input, encoded, {actions}).log_probs.sum().backward();
  });
  Print("encode", encode);
  PrintBlock("  of ops", ops, EncoderProducts(sizes, view.graph));
  PrintBlock("  a layer", attention, AttentionProducts(sizes, 1, rows));
  PrintBlock("tasks", tasks, TaskProducts(sizes, view, actions.size(0), rows));
}

// The greatest of the process so far.
void PrintMemory() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  std::cout << "memory        " << std::setprecision(2)
            << static_cast<double>(usage.ru_maxrss) / (1 << 20) << " GiB\n";
}

void Measure(const std::string& graph,
             const std::string& machine,
             const env::TaskSet& tasks,
             env::DecidePer decide_per) {
  const TorchSession one_thread(1);
  const auto problem = std::make_shared<const env::Problem>(
      env::ProblemSpec{.graph = graphs::LoadGraph(graph),
                       .hardware = sim::LoadMachine(machine),
                       .settings = {.tasks = tasks, .decide_per = decide_per}});
  go::TrainingOptions options;
  options.rows.first = 0;
  const go::View view = go::MakeView(*problem, options.rows, options.sizes);
  go::Memory memory(view, options, torch::kCPU);
  Rng rng(1);
  go::Learner learner(options, options.sizes, rng);
  env::Evaluator evaluator(problem, {});
  RewardBaseline baseline(options.baseline_momentum);
  const go::PolicyInput input = PolicyInputOf(view, 0);
  const double sample = LeastOfFive([&] {
    const torch::NoGradGuard no_grad;
    static_cast<void>(
        learner.policy().Sample(input, learner.policy().Encode(input), options.batch_size, rng));
  });
  go::Rollout samples;
  const double sample_and_evaluate = LeastOfFive(
      [&] { samples = *learner.Sample(view, 0, options.batch_size, &memory, evaluator, rng); });
  const double learn =
      LeastOfFive([&] { learner.Learn(view, samples, kAllUsed, baseline, memory, rng); });
  std::cout << problem->graph().num_ops() << " ops, " << view.num_groups() << " rows, "
            << view.devices.x.size(0) << " devices, " << view.tasks.size() << " tasks\n";
  Print("sample", sample);
  Print("and simulate", sample_and_evaluate);
  Print("learn", learn);
  PrintMemory();
  MeasureBlocks(view, options, learner, samples.sampled.actions);
}

}  // namespace
}  // namespace opyard::agents

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  if (words.size() != 4 || (words[2] != "placement" && words[2] != "all") ||
      (words[3] != "group" && words[3] != "op")) {
    std::cerr << "expected: go_update GRAPH MACHINE placement|all group|op\n";
    return 2;
  }
  const bool all = words[2] == "all";
  try {
    opyard::agents::Measure(
        words[0],
        words[1],
        {.placement = true, .scheduling = all, .fusion = all},
        words[3] == "op" ? opyard::env::DecidePer::kOp : opyard::env::DecidePer::kGroup);
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
  return 0;
}
