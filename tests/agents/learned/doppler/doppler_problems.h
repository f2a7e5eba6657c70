// Problems and episodes for the tests of DOPPLER.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "agents/learned/doppler/episode.h"
#include "agents/learned/doppler/schedule.h"
#include "agents/learned/doppler/view.h"
#include "tests/agents/learned/dense_instance.h"
#include "tests/agents/problems.h"
#include "tests/support/small_graphs.h"

namespace opyard::agents::testing {

inline constexpr double kUs = 1e-6;  // seconds
inline constexpr GroupingOptions kPerOp{.rule = GroupingRule::kProblem};

// a → {b, c}, b → d by a control edge, c → d; e alone. They take 2, 10, 5, 3 and 1 µs; a sends 4000
// bytes, 4 µs, c 1000 bytes.
inline std::shared_ptr<const env::Problem> DiamondAndOne(env::TaskSet tasks = kPlacement) {
  using opyard::testing::TimedOp;
  std::vector<sim::OpSpec> ops = {TimedOp("a", 2, {}, {4000}),
                                  TimedOp("b", 10, {{0, 0}}, {2000}),
                                  TimedOp("c", 5, {{0, 0}}, {1000}),
                                  TimedOp("d", 3, {{2, 0}}, {8000}),
                                  TimedOp("e", 1)};
  ops[3].control_inputs = {1};
  return MakeProblem(
      opyard::testing::MakeGraph(std::move(ops)), opyard::testing::MeshMachine(2), tasks);
}

// a and b, and c, which reads a: three orders, eight placements.
inline std::shared_ptr<const env::Problem> ThreeOps(env::TaskSet tasks = kPlacement) {
  return MakeProblem(opyard::testing::MakeGraph({UnevenOp("a", {3, 7}, {}, {2000}),
                                                 UnevenOp("b", {11, 5}, {}, {1000}),
                                                 UnevenOp("c", {2, 13}, {{0, 0}}, {1000})}),
                     opyard::testing::MeshMachine(2),
                     tasks);
}

// Goes on with `episode` in `schedule` by the candidate `column`, on `device`.
inline void Extend(const doppler::View& view,
                   std::size_t column,
                   std::int64_t device,
                   doppler::PartialSchedule& schedule,
                   doppler::Episode& episode) {
  const auto ready = schedule.ready();
  const std::int64_t node = ready[column];
  doppler::AppendCritical(ready, view.bottom_levels, episode.is_critical);
  episode.candidates.insert(episode.candidates.end(), ready.begin(), ready.end());
  episode.first.push_back(std::ssize(episode.candidates));
  episode.columns.push_back(static_cast<std::int64_t>(column));
  episode.nodes.push_back(node);
  episode.devices.push_back(device);
  schedule.AppendDeviceFeatures(node, view.scale, episode.device_x);
  AppendEarliest(schedule, node, episode.is_earliest);
  schedule.Place(node, device);
}

inline void AppendEpisodes(const doppler::View& view,
                           const doppler::PartialSchedule& schedule,
                           const doppler::Episode& begun,
                           std::vector<doppler::Episode>& episodes) {
  if (schedule.ready().empty()) {
    episodes.push_back(begun);
    return;
  }
  for (std::size_t column = 0; column < schedule.ready().size(); ++column) {
    for (std::int64_t device = 0; device < view.graph.num_devices; ++device) {
      if (view.graph.MayBeOn(schedule.ready()[column], device)) {
        doppler::PartialSchedule next = schedule;
        doppler::Episode episode = begun;
        Extend(view, column, device, next, episode);
        AppendEpisodes(view, next, episode, episodes);
      }
    }
  }
}

// Every episode that there is.
inline std::vector<doppler::Episode> AllEpisodes(const doppler::View& view, bool faithful) {
  std::vector<doppler::Episode> episodes;
  doppler::Episode empty;
  empty.first = {0};
  AppendEpisodes(
      view, doppler::PartialSchedule(view.graph, view.transfers, faithful), empty, episodes);
  return episodes;
}

// The log-probability of each of `episodes`, [episodes], with gradients.
inline torch::Tensor LogProbsOf(const doppler::View& view,
                                doppler::Policy& policy,
                                const std::vector<doppler::Episode>& episodes) {
  const doppler::EpisodeBatch batch = MakeEpisodeBatch(view, episodes);
  const doppler::PolicyInput input = policy.PolicyInputOf(view);
  const torch::Tensor select =  // [R]
      policy.SelectLogProbs(view, input, batch.select)
          .gather(1, batch.column.unsqueeze(1))
          .squeeze(1);
  const torch::Tensor place =  // [R]
      policy.PlaceLogProbs(view, input, batch.place)
          .gather(1, batch.device.unsqueeze(1))
          .squeeze(1);
  return (select + place).view({std::ssize(episodes), -1}).sum(1);
}

// `view` for a network of float64.
inline doppler::View InFloat64(doppler::View view) {
  view.node_x = view.node_x.to(torch::kDouble);
  view.edges.feature = view.edges.feature.to(torch::kDouble);
  view.edges.is_edge = view.edges.is_edge.to(torch::kDouble);
  view.bottom_paths = view.bottom_paths.to(torch::kDouble);
  view.top_paths = view.top_paths.to(torch::kDouble);
  return view;
}

// Makes `policy` one of float64 without biases of 0, which would put what hears nothing on a kink.
inline void ToFloat64(doppler::Policy& policy) {
  policy.to(torch::kDouble);
  const torch::NoGradGuard no_grad;
  for (torch::Tensor& parameter : policy.parameters()) {
    parameter.add_(0.05);
  }
}

}  // namespace opyard::agents::testing
