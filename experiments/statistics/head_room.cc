#include "experiments/statistics/head_room.h"

#include <algorithm>
#include <cmath>

#include "experiments/text/number_format.h"
#include "experiments/text/table.h"

namespace opyard::experiments {
namespace {

HeadRoom HeadRoomOf(const std::vector<BestKnownPlan>& plans, const std::string& tasks) {
  HeadRoom room{.tasks = tasks};
  double sum = 0.0;
  for (const BestKnownPlan& plan : plans) {
    if (!tasks.empty() && plan.problem.tasks != tasks) {
      continue;
    }
    ++room.num_problems;
    if (const std::optional<double> ratio = RatioOf(plan)) {
      ++room.num_ratios;
      sum += std::log(*ratio);
    }
  }
  if (room.num_ratios > 0) {
    room.geomean = std::exp(sum / static_cast<double>(room.num_ratios));
  }
  return room;
}

// In the unit of the objective, times in the unit that fits each: problems differ too much for one.
std::string ScoreText(const ProblemWords& problem, const PlanWorth& worth) {
  if (problem.objective == "makespan") {
    return TimeText(worth.makespan);
  }
  if (problem.objective == "peak_memory") {
    return BytesText(Bytes{static_cast<std::int64_t>(worth.score)});
  }
  return Fixed(worth.score, 4);
}

// The properties that distinguish the problem from others on the same graph and machine.
std::string TasksText(const ProblemWords& problem) {
  std::string text = problem.tasks;
  text += problem.objective == "makespan" ? "" : "; " + problem.objective;
  text += problem.queue == "fifo" ? "" : "; queue " + problem.queue;
  return text + (problem.fusion == "framework" ? "" : "; fusion " + problem.fusion);
}

void AddPlanRow(TextTable& table, const BestKnownPlan& plan) {
  const SearchEffort effort = EffortOf(plan);
  const std::optional<double> ratio = RatioOf(plan);
  table.AddRow({OneLine(plan.problem.graph),
                OneLine(plan.problem.machine),
                TasksText(plan.problem),
                plan.expert.has_value() ? ScoreText(plan.problem, *plan.expert) : kNoFigure,
                ScoreText(plan.problem, plan.best),
                ratio.has_value() ? Fixed(*ratio, 3) : kNoFigure,
                TimeText(plan.lower_bound),
                OneLine(plan.agent),
                std::to_string(plan.seed),
                std::to_string(plan.evaluations),
                std::to_string(effort.num_agents),
                std::to_string(effort.num_seeds),
                effort.least_evaluations.has_value() ? std::to_string(*effort.least_evaluations)
                                                     : kNoFigure});
}

std::string LineOf(const HeadRoom& room) {
  std::string text = "expert / best known, " + (room.tasks.empty() ? "all tasks" : room.tasks) +
                     ": geomean " +
                     (room.geomean.has_value() ? Fixed(*room.geomean, 3) : kNoFigure) + " over " +
                     std::to_string(room.num_ratios);
  if (room.num_ratios < room.num_problems) {
    text += " of " + std::to_string(room.num_problems);
  }
  return text + (room.num_problems == 1 ? " problem\n" : " problems\n");
}

}  // namespace

std::optional<double> RatioOf(const BestKnownPlan& plan) {
  const bool has_ratio =
      plan.expert.has_value() && plan.expert->score > 0.0 && plan.best.score > 0.0;
  return has_ratio ? std::optional(plan.expert->score / plan.best.score) : std::nullopt;
}

std::vector<HeadRoom> HeadRoomsOf(const std::vector<BestKnownPlan>& plans) {
  std::vector<HeadRoom> rooms;
  for (const BestKnownPlan& plan : plans) {
    if (std::ranges::find(rooms, plan.problem.tasks, &HeadRoom::tasks) == rooms.end()) {
      rooms.push_back(HeadRoomOf(plans, plan.problem.tasks));
    }
  }
  rooms.push_back(HeadRoomOf(plans, ""));
  return rooms;
}

std::string BestKnownText(const std::vector<BestKnownPlan>& plans) {
  TextTable table({{.title = "graph"},
                   {.title = "machine"},
                   {.title = "tasks"},
                   {.title = "expert", .align = Align::kRight},
                   {.title = "best known", .align = Align::kRight},
                   {.title = "expert/best", .align = Align::kRight},
                   {.title = "lower bound", .align = Align::kRight},
                   {.title = "found by"},
                   {.title = "seed", .align = Align::kRight},
                   {.title = "evaluations", .align = Align::kRight},
                   {.title = "agents", .align = Align::kRight},
                   {.title = "seeds", .align = Align::kRight},
                   {.title = "least evaluations", .align = Align::kRight}});
  for (const BestKnownPlan& plan : plans) {
    AddPlanRow(table, plan);
  }
  std::string text = table.Text() + '\n';
  for (const HeadRoom& room : HeadRoomsOf(plans)) {
    text += LineOf(room);
  }
  return text;
}

}  // namespace opyard::experiments
