#include "agents/learned/placeto/episode.h"

#include <algorithm>
#include <span>
#include <utility>

#include "agents/learned/common/reinforce.h"
#include "agents/planning/encoding/decisions.h"
#include "env/evaluation.h"
#include "env/reward.h"

namespace opyard::agents::placeto {
namespace {

constexpr double kBytesPerGb = 1e9;

// The first start of each node, in seconds.
std::vector<double> StartsOf(const View& view, const sim::SimReport& report) {
  const double end = report.result.makespan.seconds();
  const auto num_nodes = static_cast<std::size_t>(view.sequence.num_groups);
  std::vector<double> starts(num_nodes, end);        // of what takes time
  std::vector<double> other_starts(num_nodes, end);  // of the rest
  std::vector<bool> takes_time(num_nodes, false);
  for (std::size_t op = 0; op < report.ops.size(); ++op) {
    const std::optional<sim::OpSpan>& span = report.ops[op];
    if (!span.has_value()) {
      continue;
    }
    const auto node = static_cast<std::size_t>(view.sequence.group_of_op[op]);
    const bool has_length = span->finish > span->start;
    double& start = has_length ? starts[node] : other_starts[node];
    start = std::min(start, span->start.seconds());
    takes_time[node] = takes_time[node] || has_length;
  }
  for (std::size_t node = 0; node < num_nodes; ++node) {
    starts[node] = takes_time[node] ? starts[node] : other_starts[node];
  }
  return starts;
}

// Divided by the greatest, if that is not 0.
std::vector<float> ScaledValues(const std::vector<double>& values) {
  const double greatest = *std::ranges::max_element(values);
  std::vector<float> scaled;
  scaled.reserve(values.size());
  for (const double value : values) {
    scaled.push_back(static_cast<float>(greatest > 0.0 ? value / greatest : 0.0));
  }
  return scaled;
}

std::vector<std::int64_t> StartPlacement(const View& view, EpisodeStart start, Rng& rng) {
  const auto first = static_cast<std::int64_t>(view.problem->first_accelerator().index());
  std::vector<std::int64_t> devices;
  for (std::int64_t node = 0; node < view.sequence.num_groups; ++node) {
    const std::vector<std::int64_t> choices = AllowedDevices(view.sequence, node);
    if (start == EpisodeStart::kRandom || start == EpisodeStart::kOneRandom) {
      devices.push_back(choices[rng.Below(choices.size())]);
    } else {
      const bool may_be_first = std::ranges::binary_search(choices, first);
      devices.push_back(may_be_first ? first : choices.front());
    }
  }
  return devices;
}

std::vector<std::int64_t> Visits(const View& view, const EpisodeOptions& options, Rng& rng) {
  std::vector<std::int64_t> visits;
  for (std::int64_t pass = 0; pass < options.passes; ++pass) {
    std::vector<std::int64_t> nodes = view.visited;
    if (options.order == VisitOrder::kRandom) {
      rng.Shuffle(std::span(nodes));
    }
    visits.insert(visits.end(), nodes.begin(), nodes.end());
  }
  return visits;
}

// Plays one episode; nothing of it is of use after Play has ended.
class Player {
 public:
  Player(const View& view, const EpisodeOptions& options, Policy& policy, env::Evaluator& evaluator)
      : view_(view),
        options_(options),
        policy_(policy),
        input_(policy.PolicyInputOf(view)),
        evaluator_(evaluator) {}

  // Goes on from a placement that was evaluated before.
  void BeginAt(const EvaluatedState& start) { Take(start); }

  // Evaluates `devices`. False when no budget is left.
  bool MoveTo(std::vector<std::int64_t> devices) {
    const std::optional<sim::SimReport> report =
        evaluator_.EvaluateDetailed(ToPlan(view_, devices));
    if (!report.has_value()) {
      return false;
    }
    ++episode_.num_evaluations;
    Take(Read(view_, options_, std::move(devices), *report));
    return true;
  }

  // Evaluates where it is, if nothing was evaluated yet. False when no budget is left.
  bool SpendSomething() { return episode_.num_evaluations > 0 || MoveTo(evaluated_.devices); }

  // Lets the policy place `node`. False when no budget is left.
  bool Visit(std::int64_t node, Rng& rng) {
    if (std::ssize(episode_.nodes) % std::ssize(view_.visited) == 0) {
      is_done_.assign(evaluated_.devices.size(), false);  // a pass begins
    }
    const torch::Tensor state =  // [G, 6 + D]
        StateOf(view_, evaluated_, is_done_, node, policy_.sizes().layers)
            .to(view_.device_mask.device());
    const torch::Tensor log_probs =  // [1, D]
        policy_.LogProbs(input_, state.unsqueeze(0), {node}).to(torch::kCPU);
    const std::int64_t device = SampleChoices(log_probs, rng).item<std::int64_t>();
    is_done_[static_cast<std::size_t>(node)] = true;
    const double before = evaluated_.run_time;
    std::vector<std::int64_t> devices = evaluated_.devices;
    if (std::exchange(devices[static_cast<std::size_t>(node)], device) != device &&
        !MoveTo(std::move(devices))) {
      return false;
    }
    states_.push_back(state);
    choices_.push_back(device);
    log_probs_.push_back(log_probs[0][device].item<float>());
    episode_.nodes.push_back(node);
    episode_.run_times.push_back(before);
    episode_.rewards.push_back(before - evaluated_.run_time);
    episode_.num_completed += evaluated_.is_feasible ? 1 : 0;
    return true;
  }

  [[nodiscard]] Episode End() {
    episode_.run_times.push_back(evaluated_.run_time);
    episode_.states = torch::stack(states_);
    episode_.devices = torch::tensor(choices_, torch::kLong).to(episode_.states.device());
    episode_.log_probs = torch::tensor(log_probs_);
    episode_.last = torch::tensor(evaluated_.devices, torch::kLong);
    return std::move(episode_);
  }

 private:
  void Take(EvaluatedState evaluated) {
    evaluated_ = std::move(evaluated);
    if (episode_.first.devices.empty()) {
      episode_.first = evaluated_;
    }
    if (episode_.best.devices.empty() || evaluated_.run_time < episode_.best.run_time) {
      episode_.best = evaluated_;
    }
  }

  const View& view_;
  const EpisodeOptions& options_;
  Policy& policy_;
  PolicyInput input_;
  env::Evaluator& evaluator_;
  EvaluatedState evaluated_;
  std::vector<bool> is_done_;
  std::vector<torch::Tensor> states_;
  std::vector<std::int64_t> choices_;
  std::vector<float> log_probs_;
  Episode episode_;
};

}  // namespace

double RunTime(const View& view, const EpisodeOptions& options, const sim::SimResult& result) {
  const env::Evaluation evaluation = env::EvaluationOf(*view.problem, result);
  if (!evaluation.is_feasible()) {
    return -env::kFailureReward;
  }
  const double excess_gb =
      std::max(static_cast<double>(result.peak_memory.count) / kBytesPerGb - options.free_gb, 0.0);
  const double reference_s = view.reference.makespan.seconds();
  const double run_time =
      evaluation.score / view.reference.score + options.penalty_s_per_gb * excess_gb / reference_s;
  return options.penalty_s_per_gb > 0.0 ? std::min(run_time, kMostSeconds / reference_s) : run_time;
}

EvaluatedState Read(const View& view,
                    const EpisodeOptions& options,
                    std::vector<std::int64_t> devices,
                    const sim::SimReport& report) {
  std::vector<double> peaks;
  for (const sim::DeviceReport& device : report.devices) {
    peaks.push_back(static_cast<double>(device.peak_memory.count));
  }
  return {.devices = std::move(devices),
          .starts = ScaledValues(StartsOf(view, report)),
          .memory = ScaledValues(peaks),
          .run_time = RunTime(view, options, report.result),
          .is_feasible = report.result.outcome == sim::Outcome::kCompleted};
}

torch::Tensor StateOf(const View& view,
                      const EvaluatedState& evaluated,
                      const std::vector<bool>& is_done,
                      std::int64_t node,
                      Layers layers) {
  const bool is_published = layers == Layers::kPublished;
  const std::int64_t num_nodes = view.sequence.num_groups;
  torch::Tensor state =  // [G, 6 + D]
      torch::zeros({num_nodes, kColumns + view.sequence.num_devices});
  auto cell = state.accessor<float, 2>();
  const auto cost = view.cost.accessor<float, 1>();
  const auto output = view.output.accessor<float, 1>();
  const auto memory = view.memory.accessor<float, 1>();
  const float current_start = evaluated.starts[static_cast<std::size_t>(node)];
  const float latest = *std::ranges::max_element(evaluated.starts) - current_start;
  const float unit = is_published && latest > 0.0F ? latest : 1.0F;
  for (std::int64_t row = 0; row < num_nodes; ++row) {
    const auto i = static_cast<std::size_t>(row);
    const std::int64_t device = evaluated.devices[i];
    cell[row][0] = cost[row];
    cell[row][1] = output[row];
    cell[row][2] = is_done[i] ? 1.0F : 0.0F;
    cell[row][3] = row == node ? 1.0F : 0.0F;
    cell[row][4] = (evaluated.starts[i] - current_start) / unit;
    cell[row][5] = is_published ? memory[row] : evaluated.memory[static_cast<std::size_t>(device)];
    cell[row][kColumns + device] = 1.0F;
  }
  return state;
}

sim::Plan ToPlan(const View& view, const std::vector<std::int64_t>& devices) {
  return ToPlan(*view.problem,
                Decisions{.device_of_group = DeviceOfProblemGroups(view.sequence, devices),
                          .priority_of_group = view.priority_of_group,
                          .fusion_of_group = {}});
}

std::optional<Episode> Play(const View& view,
                            const EpisodeOptions& options,
                            const std::optional<EvaluatedState>& start,
                            Policy& policy,
                            env::Evaluator& evaluator,
                            Rng& rng) {
  const torch::NoGradGuard no_grad;
  Player player(view, options, policy, evaluator);
  if (start.has_value()) {
    player.BeginAt(*start);
  } else if (!player.MoveTo(StartPlacement(view, options.start, rng))) {
    return std::nullopt;
  }
  for (const std::int64_t node : Visits(view, options, rng)) {
    if (!player.Visit(node, rng)) {
      return std::nullopt;
    }
  }
  if (!player.SpendSomething()) {
    return std::nullopt;
  }
  return player.End();
}

}  // namespace opyard::agents::placeto
