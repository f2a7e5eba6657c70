#include "sim/analysis/problem_bound/device_weights.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace opyard::sim {
namespace {

// The loads that ops put on devices under `weights`, each on the class where it counts least.
class WeightSearch {
 public:
  explicit WeightSearch(const OpTimes& times) : times_(times), loads_(times.num_classes()) {}

  std::vector<double> Find() {
    std::vector<double> weights(times_.num_classes(), 1.0);
    std::vector<double> best = weights;
    double best_bound = 0.0;
    for (int round = 0; round < kRounds; ++round) {
      const double bound = Assign(weights);
      if (bound > best_bound) {
        best_bound = bound;
        best = weights;
      }
      const double step = 1.0 / (1.0 + static_cast<double>(round) / 4.0);
      for (std::size_t k = 0; k < weights.size(); ++k) {
        const double load = loads_[k] / static_cast<double>(times_.classes[k].size());
        weights[k] *= std::pow(std::clamp(load / std::max(bound, 1.0), 0.1, 10.0), step);
      }
    }
    return best;
  }

 private:
  static constexpr int kRounds = 40;

  // The bound, in picoseconds; fills `loads_`.
  double Assign(const std::vector<double>& weights) {
    std::ranges::fill(loads_, 0.0);
    double work = 0.0;
    for (std::size_t op = 0; op < times_.num_ops(); ++op) {
      double least = -1.0;
      std::size_t chosen = 0;
      for (std::size_t k = 0; k < weights.size(); ++k) {
        const double cost = weights[k] * static_cast<double>(times_.time(op, k));
        if (times_.time(op, k) < kNoTime && (least < 0.0 || cost < least)) {
          least = cost;
          chosen = k;
        }
      }
      work += std::max(least, 0.0);
      loads_[chosen] += static_cast<double>(std::min(times_.time(op, chosen), kNoTime));
    }
    double capacity = 0.0;
    for (std::size_t k = 0; k < weights.size(); ++k) {
      capacity += weights[k] * static_cast<double>(times_.classes[k].size());
    }
    return work / capacity;
  }

  const OpTimes& times_;
  std::vector<double> loads_;
};

}  // namespace

std::vector<std::vector<std::int64_t>> DeviceWeights(const OpTimes& times,
                                                     const HardwareProfile& hardware) {
  const std::size_t num_classes = times.num_classes();
  std::vector<std::vector<std::int64_t>> all{std::vector<std::int64_t>(num_classes, 1)};
  for (std::size_t kind = 0; kind < kNumDeviceKinds; ++kind) {
    std::vector<std::int64_t> weights;
    for (const auto& members : times.classes) {
      const auto of_class =
          static_cast<std::size_t>(hardware.devices[members.front().index()].kind);
      weights.push_back(of_class == kind ? 1 : 0);
    }
    if (std::accumulate(weights.begin(), weights.end(), std::int64_t{0}) > 0) {
      all.push_back(std::move(weights));
    }
  }
  std::vector<double> found = WeightSearch(times).Find();
  const double scale = 4096.0 / *std::ranges::max_element(found);
  std::vector<std::int64_t> rounded;
  for (const double weight : found) {
    rounded.push_back(static_cast<std::int64_t>(std::lround(weight * scale)));
  }
  all.push_back(num_classes == 1 ? all.front() : std::move(rounded));
  return all;
}

}  // namespace opyard::sim
