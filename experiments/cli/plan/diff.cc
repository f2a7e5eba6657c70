#include "experiments/cli/plan/diff.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "experiments/cli/plan/plan_answer.h"
#include "experiments/cli/simulated_problem.h"
#include "experiments/cli/subcommand.h"
#include "experiments/console/console.h"
#include "experiments/console/notice_printing.h"
#include "experiments/graphs/plan_reading.h"
#include "experiments/plans/plan_difference.h"
#include "experiments/text/number_format.h"
#include "sim/analysis/span_names.h"
#include "sim/plan/queue_name.h"

namespace opyard::experiments {
namespace {

struct PlanDiffOptions {
  SimulatedProblemOptions problem;
  std::string before;  // files
  std::string after;
  bool json = false;
};

// Prints every decision that differs, and both makespans. kAnswerIsNo if the plans differ.
[[nodiscard]] int DiffPlans(const PlanDiffOptions& options, const Console& console);

struct ComparedPlans {
  const env::Problem& problem;
  const sim::Plan& before;
  const sim::Plan& after;
  const PlanDifference& difference;
  const sim::SimReport& run_before;
  const sim::SimReport& run_after;
};

// The answer with --json.
[[nodiscard]] std::string PlanDiffJson(const ComparedPlans& plans);

}  // namespace

void AddPlanDiffArguments(CLI::App& group, Command& command) {
  CLI::App& subcommand =
      AddSubcommand(group,
                    {.name = "diff",
                     .summary = "the differences between two plans",
                     .examples = "  opyard plan diff old.plan.json new.plan.json --graph gnmt2 "
                                 "--hardware p100x2-pcie"});
  const auto options = std::make_shared<PlanDiffOptions>();
  subcommand.add_option("before", options->before, "plan file")->required()->type_name("PLAN");
  subcommand.add_option("after", options->after, "plan file")->required()->type_name("PLAN");
  AddSimulatedProblem(subcommand, options->problem);
  AddJson(subcommand, options->json);
  Choose(subcommand, command, options, &DiffPlans);
}

namespace {

std::string OpName(const ComparedPlans& plans, OpId op) {
  return plans.problem.graph().op(op).name;
}

std::string DeviceName(const ComparedPlans& plans, DeviceId device) {
  return plans.problem.hardware().devices[device.index()].name;
}

std::string ValueText(const std::optional<std::int64_t>& priority) {
  return priority.has_value() ? std::to_string(*priority) : "(default)";
}

void PrintLine(const std::string& what,
               const std::string& decision,
               const std::string& before,
               const std::string& after,
               std::ostream& out) {
  out << "~ " << OneLine(what) << ": " << decision << ' ' << OneLine(before) << " -> "
      << OneLine(after) << '\n';
}

// "gpu0 stream 1 position 3"
std::string PlaceText(const ComparedPlans& plans, const StreamPlace& place) {
  return DeviceName(plans, place.device) + " stream " + std::to_string(place.stream) +
         " position " + std::to_string(place.position);
}

void PrintPriorities(const ComparedPlans& plans, std::ostream& out) {
  for (const PriorityDifference& one : plans.difference.op_priority) {
    PrintLine(OpName(plans, one.op),
              "op_priority",
              std::to_string(one.before),
              std::to_string(one.after),
              out);
  }
  for (const TransferDifference& one : plans.difference.transfer_priority) {
    PrintLine("copy of " + sim::NameOf(plans.problem.graph(), one.tensor) + " to " +
                  DeviceName(plans, one.destination),
              "transfer_priority",
              ValueText(one.before),
              ValueText(one.after),
              out);
  }
  const auto print_fusion = [&](const std::vector<PriorityDifference>& all, const char* what) {
    for (const PriorityDifference& one : all) {
      PrintLine(
          OpName(plans, one.op), what, std::to_string(one.before), std::to_string(one.after), out);
    }
  };
  print_fusion(plans.difference.fusion_priority, "fusion_priority");
  print_fusion(plans.difference.fusion_region, "fusion_region");
}

void PrintText(const ComparedPlans& plans, std::ostream& out) {
  if (plans.difference.has_other_queue) {
    PrintLine(
        "the plan", "queue", sim::NameOf(plans.before.queue), sim::NameOf(plans.after.queue), out);
  }
  for (const DeviceDifference& one : plans.difference.placement) {
    PrintLine(OpName(plans, one.op),
              "placement",
              DeviceName(plans, one.before),
              DeviceName(plans, one.after),
              out);
  }
  PrintPriorities(plans, out);
  for (const OrderDifference& one : plans.difference.order) {
    PrintLine(OpName(plans, one.op),
              "order",
              PlaceText(plans, one.before),
              PlaceText(plans, one.after),
              out);
  }
  out << "before: " << OutcomeText(plans.run_before) << "\nafter: " << OutcomeText(plans.run_after);
  if (StatusOf(plans.run_before) == kSuccess && StatusOf(plans.run_after) == kSuccess) {
    const SimTime from = plans.run_before.result.makespan;
    out << " (" << ChangeText(from, plans.run_after.result.makespan, UnitOf(from)) << ")";
  }
  out << '\n';
}

int DiffPlans(const PlanDiffOptions& options, const Console& console) {
  const NoticeListener notices = NoticesOn(console);
  const auto problem = LoadSimulatedProblem(options.problem, notices);
  const sim::Plan before = LoadPlan(options.before, problem->graph(), problem->hardware(), notices);
  const sim::Plan after = LoadPlan(options.after, problem->graph(), problem->hardware(), notices);
  const PlanDifference difference = Compare(before, after);
  const sim::SimReport run_before = RunOf(*problem, before);
  const sim::SimReport run_after = RunOf(*problem, after);
  const ComparedPlans plans{.problem = *problem,
                            .before = before,
                            .after = after,
                            .difference = difference,
                            .run_before = run_before,
                            .run_after = run_after};
  if (options.json) {
    console.out << PlanDiffJson(plans) << '\n';
  } else {
    PrintText(plans, console.out);
  }
  return difference.is_empty() ? kSuccess : kAnswerIsNo;
}

using Json = nlohmann::ordered_json;

Json PrioritiesJson(const ComparedPlans& plans, const std::vector<PriorityDifference>& list) {
  Json json = Json::array();
  for (const PriorityDifference& one : list) {
    json.push_back({{"op", OpName(plans, one.op)}, {"before", one.before}, {"after", one.after}});
  }
  return json;
}

Json TransfersJson(const ComparedPlans& plans) {
  const auto value = [](const std::optional<std::int64_t>& priority) {
    return priority.has_value() ? Json(*priority) : Json(nullptr);
  };
  Json json = Json::array();
  for (const TransferDifference& one : plans.difference.transfer_priority) {
    json.push_back({{"tensor", sim::NameOf(plans.problem.graph(), one.tensor)},
                    {"destination", DeviceName(plans, one.destination)},
                    {"before", value(one.before)},
                    {"after", value(one.after)}});
  }
  return json;
}

Json PlacementJson(const ComparedPlans& plans) {
  Json json = Json::array();
  for (const DeviceDifference& one : plans.difference.placement) {
    json.push_back({{"op", OpName(plans, one.op)},
                    {"before", DeviceName(plans, one.before)},
                    {"after", DeviceName(plans, one.after)}});
  }
  return json;
}

Json OrderJson(const ComparedPlans& plans) {
  const auto place = [&](const StreamPlace& at) {
    return Json{
        {"device", DeviceName(plans, at.device)}, {"stream", at.stream}, {"position", at.position}};
  };
  Json json = Json::array();
  for (const OrderDifference& one : plans.difference.order) {
    json.push_back({{"op", OpName(plans, one.op)},
                    {"before", place(one.before)},
                    {"after", place(one.after)}});
  }
  return json;
}

std::string PlanDiffJson(const ComparedPlans& plans) {
  const auto side = [](const sim::Plan& plan, const sim::SimReport& run) {
    Json json = {{"queue", sim::NameOf(plan.queue)}};
    json.update(OutcomeJson(run));
    return json;
  };
  const Json json = {{"equal", plans.difference.is_empty()},
                     {"before", side(plans.before, plans.run_before)},
                     {"after", side(plans.after, plans.run_after)},
                     {"placement", PlacementJson(plans)},
                     {"op_priority", PrioritiesJson(plans, plans.difference.op_priority)},
                     {"transfer_priority", TransfersJson(plans)},
                     {"fusion_priority", PrioritiesJson(plans, plans.difference.fusion_priority)},
                     {"fusion_region", PrioritiesJson(plans, plans.difference.fusion_region)},
                     {"order", OrderJson(plans)}};
  return json.dump();
}

}  // namespace
}  // namespace opyard::experiments
