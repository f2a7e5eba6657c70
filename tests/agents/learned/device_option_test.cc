// The option `device` of every learned agent.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/torch.h>

#include "agents/learned/common/checkpoint.h"
#include "agents/learned/learned_agents.h"
#include "sim/base/error.h"
#include "tests/agents/learned/training_pool.h"
#include "tests/support/temporary_folder.h"

namespace opyard::agents {
namespace {

using ::testing::HasSubstr;
using testing::Outcome;
using testing::RandomTree;
using testing::RunAgent;
using testing::Train;
using testing::TreePool;

constexpr TrainingPlan kPlan{.seed = 7, .num_updates = 6};

Options On(const std::string& device) {
  Options options;
  options.Set("device", device);
  return options;
}

std::vector<std::string> Names(bool trainable_only) {
  std::vector<std::string> names;
  const AgentRegistry registry = LearnedAgents();
  for (const AgentEntry& entry : registry.entries()) {
    if (entry.make_trainer || !trainable_only) {
      names.push_back(entry.info.name);
    }
  }
  return names;
}

template <class Work>
void ExpectRefused(const Work& work) {
  try {
    work();
    FAIL() << "a device was taken that is not there";
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("device: found cuda"));
    EXPECT_THAT(error.what(), HasSubstr("sees no CUDA device; use device: cpu, or install"));
  }
}

class DeviceOptionTest : public ::testing::TestWithParam<std::string> {};
class TrainerDeviceOptionTest : public ::testing::TestWithParam<std::string> {};

INSTANTIATE_TEST_SUITE_P(Registry,
                         DeviceOptionTest,
                         ::testing::ValuesIn(Names(false)),
                         [](const auto& agent) { return testing::TestName(agent.param); });
INSTANTIATE_TEST_SUITE_P(Registry,
                         TrainerDeviceOptionTest,
                         ::testing::ValuesIn(Names(true)),
                         [](const auto& agent) { return testing::TestName(agent.param); });

// On one device, too, where there is nothing to choose and no network.
TEST_P(DeviceOptionTest, CudaIsRefusedBeforeAnyEvaluationWhereThereIsNone) {
  if (torch::cuda::is_available()) {
    GTEST_SKIP() << "a CUDA device";
  }
  for (const std::size_t num_devices : {1, 3}) {
    const auto problem = RandomTree(1, num_devices);
    env::Evaluator evaluator(problem, {});
    Rng rng(1);
    ExpectRefused([&] {
      LearnedAgents().Make(GetParam(), On("cuda"))->Search(*problem, evaluator, rng, {});
    });
    EXPECT_EQ(evaluator.num_evaluations(), 0);
  }
}

// There is no trainer yet that could evaluate anything.
TEST_P(TrainerDeviceOptionTest, CudaIsRefusedWhereThereIsNone) {
  if (torch::cuda::is_available()) {
    GTEST_SKIP() << "a CUDA device";
  }
  ExpectRefused(
      [] { static_cast<void>(LearnedAgents().MakeTrainer(GetParam(), On("cuda"), kPlan)); });
}

// The evaluator throws at the first plan that is not legal.
TEST_P(DeviceOptionTest, ASearchOnCudaSavesWhatTheCpuLoads) {
  if (!torch::cuda::is_available()) {
    GTEST_SKIP() << "no CUDA device";
  }
  const opyard::testing::TemporaryFolder folder;
  const std::string file = folder.path() / "weights";
  Options saves = On("cuda");
  saves.Set("save", file);
  const auto problem = RandomTree(1, 3);
  EXPECT_EQ(RunAgent(GetParam(), problem, {.evaluations = 60, .options = saves}).num_evaluations,
            60);

  Options loads = On("cpu");
  loads.Set("checkpoint", file);
  EXPECT_EQ(RunAgent(GetParam(), problem, {.evaluations = 20, .options = loads}).num_evaluations,
            20);
}

TEST_P(TrainerDeviceOptionTest, ATrainingOnCudaGoesOnOnTheCpu) {
  if (!torch::cuda::is_available()) {
    GTEST_SKIP() << "no CUDA device";
  }
  const opyard::testing::TemporaryFolder folder;
  env::ProblemPool pool = TreePool();
  const auto trainer_on = [](const std::string& device) {
    Options options = On(device);
    options.Set("faithful", false);
    return LearnedAgents().MakeTrainer(GetParam(), options, kPlan);
  };
  const auto first = trainer_on("cuda");
  Train(*first, pool, 3);
  first->Save(folder.path() / "state", {});
  const auto second = trainer_on("cpu");
  second->Load(folder.path() / "state");
  Train(*second, pool, 6);
}

}  // namespace
}  // namespace opyard::agents
