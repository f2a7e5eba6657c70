#include "experiments/plans/layouts/order_limits.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <set>

#include "experiments/text/number_format.h"
#include "graphs/microbatches/microbatch_names.h"

namespace opyard::experiments {
namespace {

std::int64_t FusedKernels(const sim::SimReport& run) {
  std::set<std::int32_t> kernels;
  std::set<std::int32_t> fused;
  for (const std::int32_t kernel : run.groups) {
    if (!kernels.insert(kernel).second) {
      fused.insert(kernel);
    }
  }
  return static_cast<std::int64_t>(fused.size());
}

// An op that starts behind one that stands behind it in the program.
struct Overtaken {
  OpId first;
  OpId later;
};

std::optional<Overtaken> FindOvertaken(const LayoutInput& input) {
  const sim::OpGraph& graph = input.problem.graph();
  std::vector<std::optional<OpId>> last(input.problem.hardware().num_devices());
  for (const OpId op : input.run.start_order) {
    const DeviceId device = input.plan.placement[op.index()];
    if (input.problem.costs().time(op, device).picoseconds == 0) {
      continue;
    }
    std::optional<OpId>& before = last[device.index()];
    if (before.has_value() && graph.topological_index(*before) > graph.topological_index(op)) {
      return Overtaken{.first = *before, .later = op};
    }
    before = op;
  }
  return std::nullopt;
}

}  // namespace

std::int32_t CountMicrobatches(const sim::OpGraph& graph) {
  std::int32_t count = 1;
  for (const sim::Op& op : graph.ops()) {
    count = std::max(count, graphs::FindMicrobatch(op.name).value_or(0) + 1);
  }
  return count;
}

void AddFusionLimit(const LayoutInput& input,
                    const std::string& target,
                    std::vector<Inexpressible>& reasons) {
  const std::int64_t fused = FusedKernels(input.run);
  if (fused > 0) {
    reasons.push_back(
        {.what = "fused kernels",
         .why = Counted(fused, "kernel") + " of several ops; " + target + " runs op by op"});
  }
}

void AddProgramLimit(const LayoutInput& input,
                     const std::string& target,
                     std::vector<Inexpressible>& reasons) {
  const std::optional<Overtaken> found = FindOvertaken(input);
  if (!found.has_value()) {
    return;
  }
  const sim::OpGraph& graph = input.problem.graph();
  const DeviceId device = input.plan.placement[found->first.index()];
  reasons.push_back({.what = "order of ops",
                     .why = "op " + OneLine(graph.op(found->first).name) + " starts before op " +
                            OneLine(graph.op(found->later).name) + " on " +
                            input.problem.hardware().devices[device.index()].name + "; " + target +
                            " runs in the order of the program"});
}

void AddTransferLimit(const LayoutInput& input,
                      const std::string& target,
                      std::vector<Inexpressible>& reasons) {
  const std::string why = target + " sends tensors as they are made";
  if (!input.plan.transfer_order.empty()) {
    reasons.push_back({.what = "order of copies", .why = "transfer_order; " + why});
  }
  if (!input.plan.transfer_priority.empty()) {
    reasons.push_back({.what = "priorities of copies", .why = "transfer_priority; " + why});
  }
}

void AddMicrobatchLimit(const LayoutInput& input,
                        const std::string& target,
                        std::vector<Inexpressible>& reasons) {
  const std::int32_t count = CountMicrobatches(input.problem.graph());
  if (count > 1) {
    reasons.push_back({.what = "micro-batches",
                       .why = "the step has " + std::to_string(count) + "; " + target +
                              " runs a batch as a whole"});
  }
}

void AddInferenceLimit(const LayoutInput& input,
                       const std::string& target,
                       std::vector<Inexpressible>& reasons) {
  if (std::ranges::find(input.roles, OpRole::kBackward) != input.roles.end()) {
    reasons.push_back(
        {.what = "backward pass",
         .why = "the graph is a training step; " + target + " runs the forward pass alone"});
  }
}

void AddEagerLimits(const LayoutInput& input,
                    const std::string& target,
                    std::vector<Inexpressible>& reasons) {
  AddMicrobatchLimit(input, target, reasons);
  AddProgramLimit(input, target, reasons);
  AddFusionLimit(input, target, reasons);
  AddTransferLimit(input, target, reasons);
}

}  // namespace opyard::experiments
