#include "agents/learned/doppler/episode.h"

#include <algorithm>

#include "agents/learned/common/reinforce.h"
#include "agents/learned/doppler/schedule.h"

namespace opyard::agents::doppler {
namespace {

torch::Device DeviceOf(const View& view) {
  return view.device_mask.device();
}

// `values` as [rows, …], where and in the type that the view has.
torch::Tensor ToRows(const std::vector<float>& values, at::IntArrayRef shape, const View& view) {
  return torch::tensor(values, torch::kFloat).view(shape).to(view.node_x.options());
}

torch::Tensor ToIndices(const std::vector<std::int64_t>& values, const View& view) {
  return torch::tensor(values, torch::kLong).to(DeviceOf(view));
}

// The first choice that is as likely as the likeliest, up to rounding: equal devices have equal
// probabilities in exact arithmetic, and no processor's rounding should choose between them.
std::size_t FirstOfLikeliest(const torch::Tensor& log_probs) {
  constexpr double kRounding = 1e-5;
  const torch::Tensor is_likeliest = log_probs >= log_probs.max() - kRounding;
  return static_cast<std::size_t>(is_likeliest.to(torch::kLong).argmax().item<std::int64_t>());
}

// Plays episodes side by side; nothing of it is of use after Play has ended.
class Player {
 public:
  Player(const View& view,
         Policy& policy,
         const ActOptions& options,
         std::int64_t num_episodes,
         Rng& rng)
      : view_(view),
        policy_(policy),
        input_(policy.PolicyInputOf(view)),
        options_(options),
        rng_(rng),
        schedules_(static_cast<std::size_t>(num_episodes),
                   PartialSchedule(view.graph, view.transfers, policy.sizes().faithful)),
        episodes_(schedules_.size()),
        on_device_(torch::zeros({num_episodes, view.graph.num_devices, view.graph.num_nodes})) {
    for (Episode& episode : episodes_) {
      episode.first.push_back(0);
    }
  }

  void Step() {
    Select();
    Place();
  }

  [[nodiscard]] std::vector<Episode> End() { return std::move(episodes_); }

 private:
  void Select() {
    std::vector<std::span<const std::int64_t>> ready;
    for (std::size_t i = 0; i < schedules_.size(); ++i) {
      ready.push_back(schedules_[i].ready());
      AppendCritical(ready.back(), view_.bottom_levels, episodes_[i].is_critical);
    }
    torch::Tensor log_probs;  // [episodes, M]
    if (options_.select == Chooser::kPolicy) {
      log_probs = policy_.SelectLogProbs(view_, input_, MakeSelectBatch(ready, DeviceOf(view_)))
                      .to(torch::kCPU);
    }
    for (std::size_t i = 0; i < schedules_.size(); ++i) {
      Episode& episode = episodes_[i];
      const std::span<const float> teacher = std::span(episode.is_critical).last(ready[i].size());
      const auto column = options_.select == Chooser::kPolicy
                              ? Sample(log_probs[static_cast<std::int64_t>(i)], ready[i].size())
                              : SampleOne(teacher);
      episode.columns.push_back(static_cast<std::int64_t>(column));
      episode.nodes.push_back(ready[i][column]);
      episode.candidates.insert(episode.candidates.end(), ready[i].begin(), ready[i].end());
      episode.first.push_back(std::ssize(episode.candidates));
    }
  }

  void Place() {
    std::vector<std::int64_t> nodes;
    std::vector<float> device_x;
    for (std::size_t i = 0; i < schedules_.size(); ++i) {
      Episode& episode = episodes_[i];
      const std::int64_t node = episode.nodes.back();
      nodes.push_back(node);
      const std::size_t begin = episode.device_x.size();
      schedules_[i].AppendDeviceFeatures(node, view_.scale, episode.device_x);
      device_x.insert(device_x.end(),
                      episode.device_x.begin() + static_cast<std::ptrdiff_t>(begin),
                      episode.device_x.end());
      AppendTeacher(i, node);
    }
    torch::Tensor log_probs;  // [episodes, D]
    if (options_.place == Chooser::kPolicy) {
      log_probs = policy_
                      .PlaceLogProbs(
                          view_,
                          input_,
                          {.node = ToIndices(nodes, view_),
                           .device_x = ToRows(
                               device_x, {std::ssize(nodes), view_.graph.num_devices, -1}, view_),
                           .on_device = on_device_.to(view_.node_x.options())})
                      .to(torch::kCPU);
    }
    for (std::size_t i = 0; i < schedules_.size(); ++i) {
      PlaceIn(i, log_probs);
    }
  }

  // Where the teacher would put `node` in episode i.
  void AppendTeacher(std::size_t i, std::int64_t node) {
    std::vector<float>& is_earliest = episodes_[i].is_earliest;
    if (options_.target.empty()) {
      AppendEarliest(schedules_[i], node, is_earliest);
      return;
    }
    const std::int64_t target = options_.target[static_cast<std::size_t>(node)];
    for (std::int64_t device = 0; device < view_.graph.num_devices; ++device) {
      is_earliest.push_back(device == target ? 1.0F : 0.0F);
    }
  }

  // `log_probs` [episodes, D], if the policy chooses.
  void PlaceIn(std::size_t i, const torch::Tensor& log_probs) {
    Episode& episode = episodes_[i];
    const auto row = static_cast<std::int64_t>(i);
    const auto num_devices = static_cast<std::size_t>(view_.graph.num_devices);
    const std::span<const float> teacher = std::span(episode.is_earliest).last(num_devices);
    const std::int64_t node = episode.nodes.back();
    const auto device = static_cast<std::int64_t>(options_.place == Chooser::kTeacher
                                                      ? SampleOne(teacher)
                                                      : SampleDevice(node, log_probs[row]));
    episode.devices.push_back(device);
    schedules_[i].Place(node, device);
    on_device_[row][device][node] = 1.0F;
  }

  // One of those that are 1, uniformly.
  std::size_t SampleOne(std::span<const float> is_one) {
    std::vector<std::size_t> ones;
    for (std::size_t i = 0; i < is_one.size(); ++i) {
      if (is_one[i] > 0.0F) {
        ones.push_back(i);
      }
    }
    return ones[rng_.Below(ones.size())];
  }

  // One of the first `count` of `log_probs`, [count or more].
  std::size_t Sample(const torch::Tensor& log_probs, std::size_t count) {
    if (options_.exploration == Exploration::kSample) {
      return static_cast<std::size_t>(
          SampleChoices(log_probs.unsqueeze(0), rng_).item<std::int64_t>());
    }
    if (rng_.Uniform() < options_.epsilon) {
      return rng_.Below(count);
    }
    return FirstOfLikeliest(log_probs);
  }

  // `log_probs` [D].
  std::size_t SampleDevice(std::int64_t node, const torch::Tensor& log_probs) {
    std::vector<std::int64_t> allowed;
    for (std::int64_t device = 0; device < view_.graph.num_devices; ++device) {
      if (view_.graph.MayBeOn(node, device)) {
        allowed.push_back(device);
      }
    }
    const std::size_t choice =
        Sample(log_probs.index_select(0, torch::tensor(allowed, torch::kLong)), allowed.size());
    return static_cast<std::size_t>(allowed[choice]);
  }

  const View& view_;
  Policy& policy_;
  PolicyInput input_;
  ActOptions options_;
  Rng& rng_;
  std::vector<PartialSchedule> schedules_;
  std::vector<Episode> episodes_;
  torch::Tensor on_device_;  // [episodes, D, N], on the CPU
};

}  // namespace

std::span<const std::int64_t> Episode::CandidatesOf(std::size_t step) const {
  const auto begin = static_cast<std::size_t>(first[step]);
  return std::span(candidates).subspan(begin, static_cast<std::size_t>(first[step + 1]) - begin);
}

std::vector<Episode> Play(const View& view,
                          Policy& policy,
                          const ActOptions& options,
                          std::int64_t num_episodes,
                          Rng& rng) {
  const torch::NoGradGuard no_grad;
  Player player(view, policy, options, num_episodes, rng);
  for (std::int64_t step = 0; step < view.graph.num_nodes; ++step) {
    player.Step();
  }
  return player.End();
}

EpisodeBatch MakeEpisodeBatch(const View& view, std::span<const Episode> episodes) {
  std::vector<std::span<const std::int64_t>> candidates;
  Episode all;
  const std::int64_t num_nodes = view.graph.num_nodes;
  const std::int64_t num_rows = std::ssize(episodes) * num_nodes;
  const torch::Tensor on_device =  // [R, D, N]
      torch::zeros({num_rows, view.graph.num_devices, num_nodes});
  for (std::size_t i = 0; i < episodes.size(); ++i) {
    const Episode& episode = episodes[i];
    const auto append = [](const auto& from, auto& to) {
      to.insert(to.end(), from.begin(), from.end());
    };
    append(episode.columns, all.columns);
    append(episode.nodes, all.nodes);
    append(episode.devices, all.devices);
    append(episode.device_x, all.device_x);
    append(episode.is_critical, all.is_critical);
    append(episode.is_earliest, all.is_earliest);
    const std::int64_t end = (static_cast<std::int64_t>(i) + 1) * num_nodes;
    for (std::size_t step = 0; step < episode.nodes.size(); ++step) {
      candidates.push_back(episode.CandidatesOf(step));
      const std::int64_t after = end - num_nodes + static_cast<std::int64_t>(step) + 1;
      on_device.slice(0, after, end)
          .select(1, episode.devices[step])
          .select(1, episode.nodes[step]) = 1.0F;
    }
  }
  EpisodeBatch batch{
      .select = MakeSelectBatch(candidates, DeviceOf(view)),
      .column = ToIndices(all.columns, view),
      .is_critical = {},
      .place = {.node = ToIndices(all.nodes, view),
                .device_x = ToRows(all.device_x, {num_rows, view.graph.num_devices, -1}, view),
                .on_device = on_device.to(view.node_x.options())},
      .device = ToIndices(all.devices, view),
      .is_earliest = ToRows(all.is_earliest, {num_rows, view.graph.num_devices}, view)};
  batch.is_critical = torch::zeros(batch.select.mask.sizes(), view.node_x.options());
  batch.is_critical.index_put_({batch.select.row, batch.select.column},
                               ToRows(all.is_critical, {-1}, view));
  return batch;
}

}  // namespace opyard::agents::doppler
