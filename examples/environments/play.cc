// Plays one episode of an environment from C++, and prints it.
//
//     play list_schedule 'random:layered?n=12&seed=1' p100x2-pcie
#include <cstddef>
#include <cstdint>
#include <iomanip>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "env/environments/groupwise_env.h"
#include "env/environments/list_schedule_env.h"
#include "env/environments/one_shot_env.h"
#include "graphs/graph_sources.h"
#include "sim/base/error.h"
#include "sim/io/machine/profile_yaml.h"

namespace {

namespace env = opyard::env;

// Placement and order of single ops, without fusion; a reward at each step.
std::shared_ptr<const env::Stages> MakeStages(const std::string& graph,
                                              const std::string& machine) {
  return std::make_shared<const env::Stages>(
      env::EnvironmentOptions{.graphs = {opyard::graphs::LoadGraph(graph)},
                              .machines = {opyard::sim::LoadMachine(machine)},
                              .settings = {.tasks = {.placement = true, .scheduling = true},
                                           .default_fusion = env::DefaultFusion::kNone,
                                           .decide_per = env::DecidePer::kOp},
                              .reward = env::RewardKind::kImprovement});
}

std::unique_ptr<env::Environment> MakeEnvironment(const std::string& kind,
                                                  std::shared_ptr<const env::Stages> stages) {
  if (kind == "one_shot") {
    return std::make_unique<env::OneShotEnv>(stages);
  }
  if (kind == "placement" || kind == "improve") {
    return std::make_unique<env::GroupwiseEnv>(
        stages, env::GroupwiseOptions{.improves = kind == "improve"});
  }
  if (kind == "list_schedule") {
    return std::make_unique<env::ListScheduleEnv>(stages, env::ListScheduleOptions{});
  }
  throw opyard::InputError("kind: found " + kind +
                           ", expected one_shot, placement, improve or list_schedule");
}

// Of the legal choices of each number, the one whose turn it is.
std::vector<std::int32_t> ChooseAction(const env::Environment& environment, std::size_t step) {
  std::vector<std::int32_t> action;
  std::size_t first = 0;
  for (const std::int32_t num_choices : environment.num_choices()) {
    std::vector<std::int32_t> legal;
    for (std::int32_t choice = 0; choice < num_choices; ++choice) {
      if (environment.action_mask()[first + static_cast<std::size_t>(choice)] != 0) {
        legal.push_back(choice);
      }
    }
    action.push_back(legal[(7 * step + 3 * action.size()) % legal.size()]);
    first += static_cast<std::size_t>(num_choices);
  }
  return action;
}

void Play(env::Environment& environment) {
  env::StageWorkspaces workspaces;
  environment.Reset(1, {}, workspaces);
  for (std::size_t step = 0; !environment.state().is_over; ++step) {
    const std::vector<std::int32_t> action = ChooseAction(environment, step);
    const env::StepResult result = environment.Step(action, workspaces);
    std::cout << "step " << step << ":";
    for (const std::int32_t number : action) {
      std::cout << ' ' << number;
    }
    std::cout << ", reward " << result.reward << ", makespan " << result.info.makespan.picoseconds
              << " ps\n";
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) {
    std::cerr << "usage: play KIND GRAPH MACHINE\n";
    return 2;
  }
  try {
    std::cout << std::fixed << std::setprecision(9);
    Play(*MakeEnvironment(argv[1], MakeStages(argv[2], argv[3])));
  } catch (const opyard::Error& error) {
    std::cerr << error.what() << '\n';
    return 2;
  }
  return 0;
}
