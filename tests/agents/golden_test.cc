// Whole searches of every registered agent, held to the texts of tests/golden/agents/.
#include <cstdint>
#include <map>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "tests/agents/problems.h"
#include "tests/support/golden_graphs.h"
#include "tests/support/golden_text.h"
#include "tests/support/small_graphs.h"

namespace opyard::agents {
namespace {

using opyard::testing::EqualsGolden;
using testing::AgentsUnderTest;
using testing::MakeProblem;
using testing::NamedProblem;

constexpr std::uint64_t kSeed = 7;

const char* const kLegend = R"(# Whole searches of one agent with seed 7.
#   EVALUATIONS MAKESPAN PEAK TRANSFERS: each improvement, in picoseconds and bytes
#   failures: after how many evaluations a batch ended in which plans ran out of memory
#   random: the next number of the search's generator
#   best: the device of each op, its priority, its fusion priority
# Made by `./dev goldens`.
)";

// Learned agents reckon in float32, which other processors and releases of LibTorch may round
// otherwise. Few updates keep what that adds up to far below what would change a sample: histories
// are the same with LibTorch's kernels for AVX2 and without.
const char* const kLearnedLegend =
    R"(# Learned agents: checked with and without AVX2, LibTorch 2.13 on x86-64. If only single samples
# differ on another processor, that is its rounding.
)";

std::int64_t EvaluationsOf(AgentKind kind) {
  return kind == AgentKind::kLearned ? 60 : 150;
}

// Ways through an agent beside its defaults, as "name=value" with blanks between them.
const std::map<std::string, std::vector<std::string>> kModes = {
    {"brkga",
     {"start=random",
      "population=30 elite_share=0.1 mutant_share=0.3 elite_bias=0.6",
      "transfer_genes=true",
      "start=random transfer_genes=true fusion_genes=false"}},
    {"cpop", {"means=main_devices", "capacity_test=auto", "capacity_test=on"}},
    {"cpop_aware", {"capacity_test=on"}},
    {"critical_path", {"capacity_test=auto", "capacity_test=on"}},
    {"critical_path_aware", {"capacity_test=on"}},
    {"doppler",
     {"faithful=true exploration=epsilon_greedy batch_size=1 advantage=average_cost elites=0 "
      "imitation_updates=4 imitation_learning_rate=0.001 learning_rate=0.0001 "
      "final_learning_rate=0.0001",
      "select=critical_path stages=simulation"}},
    {"dps", {"means=main_devices", "capacity_test=auto", "capacity_test=on"}},
    {"dps_aware", {"capacity_test=on"}},
    {"gp_dfs", {"tries=1", "memory_aware=true"}},
    {"hbmct",
     {"initial=finish_time", "means=main_devices", "capacity_test=auto", "capacity_test=on"}},
    {"hdp", {"grouper=random attention=false", "placer=flat batch_size=7"}},
    {"heft", {"means=main_devices", "capacity_test=auto"}},
    {"heft_aware",
     {"group_rule=whole_group",
      "group_rule=first_op",
      "means=all_devices",
      "means=main_devices",
      "capacity_test=off",
      "capacity_test=on"}},
    {"m_etf", {"coplacement=false"}},
    {"m_etf_aware", {"coplacement=true"}},
    {"m_sct", {"coplacement=false", "lp_edges=0"}},
    {"m_sct_aware", {"coplacement=true", "lp_edges=0"}},
    {"m_topo", {"capacity_test=off", "capacity_test=on"}},
    {"m_topo_aware", {"capacity_test=on"}},
    {"metis", {"tries=1", "tries=30 imbalance=0.3", "memory_aware=true"}},
    {"metis_memory", {"tries=1"}},
    {"min_cut", {"tries=1", "tries=30 imbalance=0.5"}},
    {"peft", {"means=main_devices", "capacity_test=auto", "capacity_test=on"}},
    {"peft_aware", {"capacity_test=on"}},
    {"placeto", {"faithful=false"}},
    {"random", {"devices=all", "levels=3", "batch=7"}},
    {"reinforce_lstm", {"grouping=single_consumer batch_size=7"}},
    {"round_robin", {"first=1"}},
    {"scotch", {"imbalance=0.3"}},
    {"simulated_annealing",
     {"incremental=false",
      "start=random",
      "start=random incremental=false",
      "start=random restarts=2",
      "start=random longest_run=1 levels=4",
      "start=random moves_per_temperature=5 cooling=0.7",
      "initial_temperature=0.01",
      "start=random initial_acceptance=0.6"}},
};

std::vector<std::string> ModesOf(const std::string& agent) {
  std::vector<std::string> modes = {""};
  if (const auto it = kModes.find(agent); it != kModes.end()) {
    modes.insert(modes.end(), it->second.begin(), it->second.end());
  }
  return modes;
}

Options OptionsOf(const std::string& mode) {
  Options options;
  std::istringstream words(mode);
  for (std::string word; words >> word;) {
    const std::size_t equals = word.find('=');
    options.Set(word.substr(0, equals), ParseOptionValue(word.substr(equals + 1)));
  }
  return options;
}

sim::HardwareProfile WithMemory(sim::HardwareProfile machine, Bytes memory) {
  for (sim::Device& device : machine.devices) {
    device.memory = memory;
  }
  return machine;
}

// MixedGraph on two devices and a host, none of which can hold much more than the ops of a good
// plan.
NamedProblem PlacedAndScheduled() {
  return {"placement and scheduling, 2 devices and a host",
          MakeProblem(opyard::testing::MixedGraph(),
                      WithMemory(testing::MeshWithCpu(2), Bytes{17'500}),
                      testing::kBoth)};
}

// Two FusibleGraphs on four devices over two switches. One device cannot hold all of it at once.
NamedProblem PlacedScheduledAndFused() {
  const sim::HardwareProfile machine =
      opyard::testing::WithLaunches(opyard::testing::TwoSwitchMachine(sim::Duplex::kHalf));
  return {"placement, scheduling and fusion, 4 devices",
          MakeProblem(
              opyard::testing::FusibleGraph(2), WithMemory(machine, Bytes{6'500}), testing::kAll)};
}

template <class Number>
std::string List(const std::string& name, const std::vector<Number>& numbers) {
  std::string text = numbers.empty() ? "" : "; " + name;
  for (const Number number : numbers) {
    text += " " + std::to_string(number);
  }
  return text;
}

std::string TextOf(const sim::Plan& plan) {
  std::string text;
  for (const DeviceId device : plan.placement) {
    text += (text.empty() ? "" : " ") + std::to_string(device.value);
  }
  text += plan.queue == sim::QueueDiscipline::kFifo ? "; fifo" : "; priority";
  return text + List("priorities", plan.op_priority) + List("fusion", plan.fusion_priority);
}

std::string TextOf(const env::Evaluator& evaluator) {
  std::string text;
  for (const env::HistoryPoint& point : evaluator.history()) {
    text += "  " + std::to_string(point.evaluations) + " " +
            std::to_string(point.result.makespan.picoseconds) + " " +
            std::to_string(point.result.peak_memory.count) + " " +
            std::to_string(point.result.num_transfers) + "\n";
  }
  return text + std::to_string(evaluator.num_evaluations()) + " evaluations, " +
         std::to_string(evaluator.num_failures()) + " failures";
}

// One search from its heading to its best plan.
std::string SearchOf(const AgentEntry& entry,
                     const std::string& mode,
                     const NamedProblem& named,
                     std::size_t num_threads) {
  std::vector<std::int64_t> failed_after;
  std::int64_t num_failures = 0;
  env::Evaluator evaluator(named.problem,
                           {.budget = {.evaluations = EvaluationsOf(entry.info.kind)},
                            .num_threads = num_threads,
                            .on_progress = [&](const env::Evaluator& progress) {
                              if (progress.num_failures() > num_failures) {
                                num_failures = progress.num_failures();
                                failed_after.push_back(progress.num_evaluations());
                              }
                            }});
  Rng rng(kSeed);
  AgentsUnderTest()
      .Make(entry.info.name, OptionsOf(mode))
      ->Search(*named.problem, evaluator, rng, {});
  return "\n[" + named.name + "; " + (mode.empty() ? "defaults" : mode) + "]\n" +
         TextOf(evaluator) + List("failures", failed_after) +
         "\nrandom: " + std::to_string(rng.Next()) + "\nbest: " + TextOf(evaluator.best()->plan) +
         "\n";
}

std::string SearchesOf(const AgentEntry& entry, std::size_t num_threads) {
  std::string text = kLegend;
  text += entry.info.kind == AgentKind::kLearned ? kLearnedLegend : "";
  for (const NamedProblem& named : {PlacedAndScheduled(), PlacedScheduledAndFused()}) {
    for (const std::string& mode : ModesOf(entry.info.name)) {
      text += SearchOf(entry, mode, named, num_threads);
    }
  }
  return text;
}

std::vector<std::string> AgentNames() {
  std::vector<std::string> names;
  const AgentRegistry registry = AgentsUnderTest();
  for (const AgentEntry& entry : registry.entries()) {
    names.push_back(entry.info.name);
  }
  return names;
}

class AgentGoldenTest : public ::testing::TestWithParam<std::string> {};

INSTANTIATE_TEST_SUITE_P(Registry,
                         AgentGoldenTest,
                         ::testing::ValuesIn(AgentNames()),
                         [](const auto& agent) { return testing::TestName(agent.param); });

TEST_P(AgentGoldenTest, SearchesGoAsTheyDid) {
  const AgentRegistry registry = AgentsUnderTest();
  const AgentEntry& entry = registry.Get(GetParam());
  const std::string text = SearchesOf(entry, 1);
  EXPECT_TRUE(EqualsGolden("agents/" + GetParam() + ".txt", text));
  EXPECT_EQ(SearchesOf(entry, 3), text);
}

}  // namespace
}  // namespace opyard::agents
