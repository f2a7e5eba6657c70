#include "agents/learned/go/row_capacity.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <numeric>
#include <span>
#include <vector>

#include "agents/learned/common/reinforce.h"
#include "agents/planning/initial_plans/memory_rule.h"

namespace opyard::agents::go {
namespace {

constexpr double kLeast = 1e-30;  // probability of a device that a row may be on

// The share of the limits that a sample keeps to.
double ShareOf(std::int64_t sample) {
  return kMemoryShares[static_cast<std::size_t>(sample) % kMemoryShares.size()];
}

// Chooses a device of a row whose probabilities are those; all others have none.
using Choose = std::function<std::size_t(std::span<const double> probabilities)>;

// One placement, row after row.
class Placing {
 public:
  // `probabilities`: [R, D] row-major.
  Placing(const RowCapacity& capacity, std::span<const double> probabilities, double share)
      : bytes_(capacity.bytes.const_data_ptr<double>()),
        mask_(capacity.mask.const_data_ptr<bool>()),
        probabilities_(probabilities),
        num_devices_(static_cast<std::size_t>(capacity.limits.numel())) {
    const auto* const limits = capacity.limits.const_data_ptr<double>();
    for (std::size_t device = 0; device < num_devices_; ++device) {
      room_.push_back(share * limits[device]);
    }
  }

  // Rows, the surest first; of equals the earlier one.
  [[nodiscard]] std::vector<std::size_t> Order() const {
    std::vector<std::size_t> rows(probabilities_.size() / num_devices_);
    std::vector<double> sureness;
    for (std::size_t row = 0; row < rows.size(); ++row) {
      rows[row] = row;
      sureness.push_back(std::ranges::max(Of(row)));
    }
    std::ranges::stable_sort(
        rows, std::greater<>{}, [&](std::size_t row) { return sureness[row]; });
    return rows;
  }

  // Places `row`, and says in `allowed`, [D], which devices it had.
  std::size_t Place(std::size_t row, const Choose& choose, std::span<bool> allowed) {
    MarkThoseWithRoom(row, allowed);
    if (std::ranges::count(allowed, true) == 0) {
      allowed[Roomiest(row)] = true;
    }
    std::vector<double> left(Of(row).begin(), Of(row).end());
    for (std::size_t device = 0; device < num_devices_; ++device) {
      left[device] = allowed[device] ? std::max(left[device], kLeast) : 0.0;
    }
    const std::size_t device = choose(left);
    room_[device] -= bytes_[row];
    return device;
  }

 private:
  [[nodiscard]] std::span<const double> Of(std::size_t row) const {
    return probabilities_.subspan(row * num_devices_, num_devices_);
  }
  [[nodiscard]] bool MayBeOn(std::size_t row, std::size_t device) const {
    return mask_[row * num_devices_ + device];
  }
  void MarkThoseWithRoom(std::size_t row, std::span<bool> allowed) const {
    for (std::size_t device = 0; device < num_devices_; ++device) {
      allowed[device] = MayBeOn(row, device) && bytes_[row] <= room_[device];
    }
  }
  [[nodiscard]] std::size_t Roomiest(std::size_t row) const {
    std::size_t best = num_devices_;
    for (std::size_t device = 0; device < num_devices_; ++device) {
      if (MayBeOn(row, device) && (best == num_devices_ || room_[device] > room_[best])) {
        best = device;
      }
    }
    return best;
  }

  const double* bytes_;
  const bool* mask_;  // [R, D]
  std::span<const double> probabilities_;
  std::size_t num_devices_;
  std::vector<double> room_;  // [D], bytes
};

std::size_t Likeliest(std::span<const double> probabilities) {
  return static_cast<std::size_t>(std::ranges::max_element(probabilities) - probabilities.begin());
}

// `share_of` says which share of the limits a sample keeps to.
PlacedRows PlaceAll(const RowCapacity& capacity,
                    const torch::Tensor& log_probs,
                    std::int64_t num_samples,
                    const std::function<double(std::int64_t)>& share_of,
                    const Choose& choose) {
  const torch::Tensor probabilities = log_probs.to(torch::kCPU, torch::kDouble).exp().contiguous();
  const std::int64_t num_rows = log_probs.size(1);
  const std::int64_t num_devices = log_probs.size(2);
  const auto row_size = static_cast<std::size_t>(num_devices);
  PlacedRows placed{.devices = torch::empty({num_samples, num_rows}, torch::kLong),
                    .allowed = torch::zeros({num_samples, num_rows, num_devices}, torch::kBool)};
  for (std::int64_t sample = 0; sample < num_samples; ++sample) {
    const torch::Tensor of_sample = probabilities[probabilities.size(0) == 1 ? 0 : sample];
    Placing placing(
        capacity,
        {of_sample.const_data_ptr<double>(), static_cast<std::size_t>(of_sample.numel())},
        share_of(sample));
    auto* const devices = placed.devices[sample].data_ptr<std::int64_t>();
    auto* const allowed = placed.allowed[sample].data_ptr<bool>();
    for (const std::size_t row : placing.Order()) {
      devices[row] = static_cast<std::int64_t>(
          placing.Place(row, choose, {allowed + row * row_size, row_size}));
    }
  }
  return {.devices = placed.devices.to(log_probs.device()),
          .allowed = placed.allowed.to(log_probs.device())};
}

}  // namespace

RowRoom::RowRoom(const RowCapacity& capacity, std::int64_t num_plans, bool is_sampled)
    : capacity_(capacity) {
  std::vector<double> shares;
  for (std::int64_t plan = 0; plan < num_plans; ++plan) {
    shares.push_back(is_sampled ? ShareOf(plan) : 1.0);
  }
  room_ = torch::tensor(shares, torch::kDouble).unsqueeze(1) * capacity.limits;
}

torch::Tensor RowRoom::Allowed(std::int64_t row) const {
  const torch::Tensor mask = capacity_.mask[row];
  const torch::Tensor has_room = mask.logical_and(room_.ge(capacity_.bytes[row]));
  const torch::Tensor roomiest =  // [K, 1]
      room_.masked_fill(mask.logical_not(), -std::numeric_limits<double>::infinity())
          .argmax(1, /*keepdim=*/true);
  const torch::Tensor stand_in = torch::zeros_like(has_room).scatter(1, roomiest, true);
  return torch::where(has_room.any(1, /*keepdim=*/true), has_room, stand_in);
}

void RowRoom::Place(std::int64_t row, const torch::Tensor& devices) {
  const torch::Tensor needed = capacity_.bytes[row].expand({devices.size(0), 1});
  room_ = room_.scatter_add(1, devices.to(torch::kCPU).unsqueeze(1), -needed);
}

PlacedRows SampleWithin(const RowCapacity& capacity,
                        const torch::Tensor& log_probs,
                        std::int64_t num_samples,
                        Rng& rng) {
  return PlaceAll(
      capacity, log_probs, num_samples, ShareOf, [&](std::span<const double> probabilities) {
        const double total = std::accumulate(probabilities.begin(), probabilities.end(), 0.0);
        return static_cast<std::size_t>(ChoiceAt(probabilities, rng.Uniform() * total));
      });
}

torch::Tensor LikeliestWithin(const RowCapacity& capacity, const torch::Tensor& log_probs) {
  return PlaceAll(
             capacity, log_probs, log_probs.size(0), [](std::int64_t) { return 1.0; }, Likeliest)
      .devices;
}

}  // namespace opyard::agents::go
