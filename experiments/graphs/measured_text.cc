#include "experiments/graphs/measured_text.h"

#include <algorithm>
#include <set>
#include <vector>

#include "experiments/text/number_format.h"
#include "sim/base/error.h"
#include "sim/cost/zero_cost.h"
#include "sim/hardware/device.h"

namespace opyard::experiments {
namespace {

constexpr std::size_t kMostExamples = 3;
constexpr std::size_t kMostDevices = 8;

bool HasMeasuredTimes(const sim::OpGraph& graph) {
  for (std::size_t i = 0; i < graph.num_ops(); ++i) {
    if (!graph.measured_times(OpId(i)).empty()) {
      return true;
    }
  }
  return false;
}

// The ops that take time on one device where they may run, by whether that was measured.
struct Coverage {
  std::vector<OpId> measured;
  std::vector<OpId> modelled;
};

Coverage CoverageOf(const env::Problem& problem, DeviceId device) {
  const sim::OpGraph& graph = problem.graph();
  Coverage coverage;
  for (std::size_t i = 0; i < graph.num_ops(); ++i) {
    const OpId op(i);
    if (sim::IsZeroCost(graph, op) ||
        !sim::IsAllowedOn(graph.op(op), problem.hardware().devices[device.index()])) {
      continue;
    }
    const bool is_measured = problem.costs().cost(op, device).is_measured;
    (is_measured ? coverage.measured : coverage.modelled).push_back(op);
  }
  return coverage;
}

// Times that hold a launch are no shorter than one: says where that cannot be, or nothing. An op of
// 0 s was not run at all, such as what is there before the step begins.
std::string ShortTimesText(const env::Problem& problem) {
  if (problem.graph().measured() != sim::Measured::kWithLaunch) {
    return "";
  }
  for (std::size_t i = 0; i < problem.hardware().num_devices(); ++i) {
    const sim::Device& device = problem.hardware().devices[i];
    const std::vector<OpId> measured = CoverageOf(problem, DeviceId(i)).measured;
    const auto num_short = std::ranges::count_if(measured, [&](OpId op) {
      const double total_s = problem.costs().cost(op, DeviceId(i)).total_s;
      return total_s > 0 && total_s < device.launch_overhead_s;
    });
    if (num_short > 0) {
      return std::to_string(num_short) + (num_short == 1 ? " op takes" : " ops take") +
             " less than the launch on " + OneLine(device.name) +
             " that their times are said to hold, and that fusing them saves: " +
             "for times of kernels say --measured kernel to opyard graph annotate\n";
    }
  }
  return "";
}

}  // namespace

MeasuredCoverage MeasuredCoverageOn(const env::Problem& problem) {
  return MeasuredCoverageOf(problem.graph(), problem.hardware());
}

std::string MixedTimesText(const env::Problem& problem) {
  return MixedTimesText(MeasuredCoverageOn(problem));
}

std::string MeasuredWarning(const std::string& reference, const env::Problem& problem) {
  if (!HasMeasuredTimes(problem.graph())) {
    return "";
  }
  std::set<OpId> modelled;
  std::vector<std::string> unmeasured;
  bool is_measured = false;
  for (std::size_t i = 0; i < problem.hardware().num_devices(); ++i) {
    const Coverage coverage = CoverageOf(problem, DeviceId(i));
    is_measured = is_measured || !coverage.measured.empty();
    if (!coverage.measured.empty()) {
      modelled.insert(coverage.modelled.begin(), coverage.modelled.end());
    } else if (!coverage.modelled.empty()) {
      unmeasured.push_back(OneLine(problem.hardware().devices[i].name));
    }
  }
  const std::string place = OneLine(reference) + " on " + OneLine(problem.hardware().name) + ": ";
  const std::string short_times = ShortTimesText(problem);
  std::string text = short_times.empty() ? "" : place + short_times;
  if (!is_measured || (modelled.empty() && unmeasured.empty())) {
    return text;
  }
  text += place + "not all times are measured, and the cost model's may not compare\n";
  if (!modelled.empty()) {
    std::vector<std::string> names;
    for (const OpId op : modelled) {
      names.push_back(OneLine(problem.graph().op(op).name));
    }
    text += std::to_string(names.size()) +
            " ops are left to the cost model: " + JoinNames(names, kMostExamples) + '\n';
  }
  if (!unmeasured.empty()) {
    text += "devices without measurements that plans may choose: " +
            JoinNames(unmeasured, kMostDevices) + '\n';
  }
  return text;
}

void WarnOfMeasured(const std::string& reference,
                    const env::Problem& problem,
                    const NoticeListener& notices) {
  if (const std::string warning = MeasuredWarning(reference, problem); !warning.empty()) {
    notices({.kind = NoticeKind::kWarning, .text = warning});
  }
}

}  // namespace opyard::experiments
