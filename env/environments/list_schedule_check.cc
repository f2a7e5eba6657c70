#include "env/environments/list_schedule_check.h"

#include <cstddef>
#include <cstdint>
#include <string>

#include "env/action_codec.h"
#include "env/plan_queue.h"
#include "env/problem.h"
#include "sim/base/error.h"
#include "sim/plan/validate.h"

namespace opyard::env {
namespace {

void CheckTasks(const Stages& stages) {
  const TaskSet& tasks = stages.tasks();
  if (!tasks.scheduling || tasks.fusion) {
    throw InputError(
        "tasks: expected scheduling, and placement if devices are to be chosen, too; fusion is not "
        "decided as time goes on");
  }
  for (std::size_t i = 0; i < stages.size() && tasks.placement; ++i) {
    if (!stages[i].problem->default_fusion_priority().empty()) {
      throw InputError(
          "fusion: found framework, expected none: ops whose devices are chosen as time goes on do "
          "not fuse");
    }
  }
}

// Devices of single ops follow no order of the network.
void CheckPlacements(const Problem& problem) {
  if (problem.settings().contiguous) {
    throw InputError(
        "contiguous: found true, expected false: ops start, and take their devices, one at a time");
  }
}

// The choices of an episode have to be what its plan says in the queue of the problem.
void CheckQueue(const Problem& problem) {
  if (problem.settings().default_queue == sim::QueueDiscipline::kProgram) {
    throw InputError(
        "queue: found program, expected fifo, priority or order: under program devices run their "
        "ops by topological index, and actions choose which op starts");
  }
  sim::Plan with_priorities = DefaultPlan(problem);
  SetPriorities(with_priorities, std::vector<std::int64_t>(with_priorities.placement.size(), 0));
  if (AsksForOrder(problem) && !RunsAsGiven(problem, with_priorities)) {
    throw InputError("queue: found order on machine " + problem.hardware().name +
                     ", expected fifo or priority: with its transfers.one_per edge no order "
                     "repeats the run that actions choose");
  }
}

void CheckPlans(const Stages& stages, const std::vector<sim::Plan>& plans) {
  if (!plans.empty() && plans.size() != stages.size()) {
    throw InputError("plans: found " + std::to_string(plans.size()) + ", expected " +
                     std::to_string(stages.size()) +
                     ": one for each graph on each machine, the machines of a graph together");
  }
  if (!plans.empty() && stages.tasks().placement) {
    throw InputError("plans: expected none, since placement is a task");
  }
  for (std::size_t i = 0; i < plans.size(); ++i) {
    sim::ValidatePlan(stages[i].problem->graph(), stages[i].problem->hardware(), plans[i]);
  }
}

}  // namespace

void CheckListSchedule(const Stages& stages, const std::vector<sim::Plan>& plans) {
  CheckTasks(stages);
  for (std::size_t i = 0; i < stages.size(); ++i) {
    CheckPlacements(*stages[i].problem);
    CheckQueue(*stages[i].problem);
  }
  CheckPlans(stages, plans);
}

}  // namespace opyard::env
