#include "agents/search/simulated_annealing/temperature.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace opyard::agents {
namespace {

constexpr double kStepsPerCycle = 100.0;  // by the budget's share
constexpr double kTemperatureWithoutWorsening = 0.01;
constexpr double kLeastShareOfInitial = 1e-4;  // by moves: below it, a new cycle

}  // namespace

double RelativeChange(const Fitness& from, const Fitness& to) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (from.is_infeasible != to.is_infeasible) {
    return to.is_infeasible ? kInfinity : -kInfinity;
  }
  const double difference = to.value - from.value;
  if (difference == 0.0) {
    return 0.0;
  }
  const double scale = from.is_infeasible ? std::max(-from.value, -to.value) : from.value;
  return scale > 0.0 ? difference / scale : std::copysign(kInfinity, difference);
}

double TemperatureFor(std::vector<double> worsenings, double acceptance) {
  if (worsenings.empty()) {
    return kTemperatureWithoutWorsening;
  }
  const auto middle = worsenings.begin() + std::ssize(worsenings) / 2;
  std::ranges::nth_element(worsenings, middle);
  return *middle / -std::log(acceptance);
}

Cooling::Cooling(CoolingOptions options, double used_share_at_start)
    : options_(options), used_share_at_start_(used_share_at_start) {}

Cooling::State Cooling::At(std::int64_t num_moves, double used_share) const {
  return options_.moves_per_temperature > 0 ? AtMove(num_moves) : AtShare(used_share);
}

Cooling::State Cooling::AtMove(std::int64_t num_moves) const {
  const std::int64_t step = num_moves / options_.moves_per_temperature;
  const double steps_per_cycle =
      options_.factor < 1.0 ? std::ceil(std::log(kLeastShareOfInitial) / std::log(options_.factor))
                            : std::numeric_limits<double>::infinity();
  const double cycle = std::floor(static_cast<double>(step) / steps_per_cycle);
  const double step_in_cycle =
      cycle > 0.0 ? static_cast<double>(step) - cycle * steps_per_cycle : static_cast<double>(step);
  return {.temperature = options_.initial * std::pow(options_.factor, step_in_cycle),
          .cycle = static_cast<std::int64_t>(cycle)};
}

Cooling::State Cooling::AtShare(double used_share) const {
  const double rest = 1.0 - used_share_at_start_;
  const double share = rest > 0.0 ? (used_share - used_share_at_start_) / rest : 1.0;
  const double progress = share * static_cast<double>(options_.num_cycles);
  const double cycle =
      std::clamp(std::floor(progress), 0.0, static_cast<double>(options_.num_cycles - 1));
  const double steps = kStepsPerCycle * (progress - cycle);
  return {.temperature = options_.initial * std::pow(options_.factor, steps),
          .cycle = static_cast<std::int64_t>(cycle)};
}

}  // namespace opyard::agents
