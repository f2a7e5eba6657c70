#include "agents/learned/regal/view.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <string_view>
#include <vector>

#include "agents/learned/common/feature_tensors.h"
#include "agents/planning/encoding/decisions.h"
#include "env/observation.h"

namespace opyard::agents::regal {
namespace {

constexpr std::array<std::string_view, 4> kSizeColumns = {
    "output_bytes", "param_bytes", "in_degree", "out_degree"};

// Leaves of the features of the ops what the paper names.
void KeepSizes(torch::Tensor& x) {
  torch::Tensor kept = torch::zeros_like(x);
  for (const std::string_view name : kSizeColumns) {
    const std::int64_t column = ColumnOf(env::kFeatureNames, name);
    kept.select(1, column).copy_(x.select(1, column));
  }
  x = kept;
}

SparseEdges GroupEdges(const env::Problem& problem) {
  SparseRows rows;
  for (const std::vector<OpId>& ops : agents::OpsOfGroups(problem)) {
    std::vector<std::int64_t> sources;
    std::ranges::transform(ops, std::back_inserter(sources), [](OpId op) {
      return static_cast<std::int64_t>(op.index());
    });
    rows.Append(sources);
  }
  return MakeSparseEdges(rows);
}

// 1 where a decision of the columns of each group has a choice, [G · C · 2].
std::vector<std::uint8_t> ChoicesOf(const View& view) {
  std::vector<std::uint8_t> has_choice;
  for (std::int64_t group = 0; group < view.num_groups; ++group) {
    const auto allowed = view.problem->AllowedDevices(GroupId(static_cast<std::int32_t>(group)));
    const auto add = [&](bool counts) { has_choice.insert(has_choice.end(), 2, counts ? 1 : 0); };
    for (std::int64_t device = 0; view.proposes_devices && device < view.num_devices(); ++device) {
      add(allowed.size() > 1 &&
          std::ranges::binary_search(allowed, DeviceId(static_cast<std::size_t>(device))));
    }
    if (view.proposes_priorities) {
      add(true);
    }
  }
  return has_choice;
}

}  // namespace

View MakeView(const env::Problem& problem, const Sizes& sizes, torch::Device device) {
  const torch::NoGradGuard no_grad;
  const env::Observation observation = env::Observe(problem);
  View view{.problem = &problem,
            .graph = MakeOpGraph(observation),
            .order = torch::tensor(observation.topological_order, torch::kLong).to(device),
            .ops_of_groups = ToDevice(GroupEdges(problem), device),
            .devices = ToDevice(MakeDeviceFeatures(observation), device),
            .num_groups = static_cast<std::int64_t>(NumGroups(problem)),
            .proposes_devices = problem.tasks().placement && sizes.genes != Genes::kScheduling,
            .proposes_priorities = problem.tasks().scheduling && sizes.genes != Genes::kPlacement};
  if (sizes.features == Features::kSizes) {
    KeepSizes(view.graph.x);
  }
  view.graph = ToDevice(view.graph, device);
  std::vector<std::uint8_t> has_choice = ChoicesOf(view);
  if (sizes.learned_bias) {
    has_choice.push_back(1);
  }
  view.has_choice = torch::tensor(has_choice, torch::kByte).to(device, torch::kBool);
  return view;
}

}  // namespace opyard::agents::regal
