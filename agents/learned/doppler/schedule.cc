#include "agents/learned/doppler/schedule.h"

#include <algorithm>
#include <limits>

#include "sim/base/check.h"

namespace opyard::agents::doppler {
namespace {

constexpr double kMostMemory = 2.0;

// The producers of a node on one device: their seconds, first start and last end.
struct InputsThere {
  double seconds = 0.0;
  double start = std::numeric_limits<double>::infinity();
  double end = 0.0;
};

}  // namespace

PartialSchedule::PartialSchedule(const NodeGraph& graph,
                                 const TransferTimes& transfers,
                                 bool faithful)
    : graph_(graph),
      transfers_(transfers),
      is_faithful_(faithful),
      placed_(static_cast<std::size_t>(graph.num_nodes)),
      work_(static_cast<std::size_t>(graph.num_devices), 0.0),
      free_(work_),
      memory_(work_) {
  for (std::int64_t node = 0; node < graph.num_nodes; ++node) {
    num_missing_.push_back(graph.producers[static_cast<std::size_t>(node)].size());
    if (num_missing_.back() == 0) {
      ready_.push_back(node);
    }
  }
}

double PartialSchedule::EarliestStart(std::int64_t node, std::int64_t device) const {
  double start = free_[static_cast<std::size_t>(device)];
  for (const NodeLink& link : graph_.producers[static_cast<std::size_t>(node)]) {
    const Placed& producer = placed_[static_cast<std::size_t>(link.node)];
    const SimTime transfer = transfers_.Time(link.bytes,
                                             DeviceId(static_cast<std::size_t>(producer.device)),
                                             DeviceId(static_cast<std::size_t>(device)));
    start = std::max(start, producer.end + transfer.seconds());
  }
  return start;
}

bool PartialSchedule::HasRoom(std::int64_t node, std::int64_t device) const {
  const auto d = static_cast<std::size_t>(device);
  const auto needed = static_cast<double>(graph_.memory[static_cast<std::size_t>(node)].count);
  return memory_[d] + needed <= static_cast<double>(graph_.capacity[d].count);
}

void PartialSchedule::AppendDeviceFeatures(std::int64_t node,
                                           double scale,
                                           std::vector<float>& features) const {
  std::vector<InputsThere> inputs(work_.size());
  for (const NodeLink& link : graph_.producers[static_cast<std::size_t>(node)]) {
    const Placed& producer = placed_[static_cast<std::size_t>(link.node)];
    InputsThere& there = inputs[static_cast<std::size_t>(producer.device)];
    there.seconds += graph_.SecondsOn(link.node, producer.device);
    there.start = std::min(there.start, producer.start);
    there.end = std::max(there.end, producer.end);
  }
  const auto needed = static_cast<double>(graph_.memory[static_cast<std::size_t>(node)].count);
  for (std::int64_t device = 0; device < graph_.num_devices; ++device) {
    const auto d = static_cast<std::size_t>(device);
    const InputsThere& there = inputs[d];
    const double earliest = EarliestStart(node, device);
    const double seconds = graph_.SecondsOn(node, device);
    for (const double value :
         {work_[d], there.seconds, std::min(there.start, there.end), there.end, earliest}) {
      features.push_back(static_cast<float>(value / scale));
    }
    if (!is_faithful_) {
      const auto capacity = std::max(static_cast<double>(graph_.capacity[d].count), 1.0);
      features.push_back(static_cast<float>(seconds / scale));
      features.push_back(static_cast<float>((earliest + seconds) / scale));
      features.push_back(
          static_cast<float>(std::min((memory_[d] + needed) / capacity, kMostMemory)));
    }
  }
}

void PartialSchedule::Place(std::int64_t node, std::int64_t device) {
  const auto d = static_cast<std::size_t>(device);
  const auto found = std::ranges::find(ready_, node);
  OPYARD_CHECK(found != ready_.end(), "a node is placed when it is ready");
  ready_.erase(found);
  const double start = is_faithful_ ? work_[d] : EarliestStart(node, device);
  const double seconds = graph_.SecondsOn(node, device);
  placed_[static_cast<std::size_t>(node)] = {
      .device = device, .start = start, .end = start + seconds};
  work_[d] += seconds;
  free_[d] = start + seconds;
  memory_[d] += static_cast<double>(graph_.memory[static_cast<std::size_t>(node)].count);
  for (const NodeLink& link : graph_.consumers[static_cast<std::size_t>(node)]) {
    if (--num_missing_[static_cast<std::size_t>(link.node)] == 0) {
      ready_.push_back(link.node);
    }
  }
}

void AppendCritical(std::span<const std::int64_t> ready,
                    std::span<const double> bottom_levels,
                    std::vector<float>& is_critical) {
  const auto level = [&](std::int64_t node) {
    return bottom_levels[static_cast<std::size_t>(node)];
  };
  const double greatest = level(*std::ranges::max_element(ready, {}, level));
  for (const std::int64_t node : ready) {
    is_critical.push_back(level(node) == greatest ? 1.0F : 0.0F);
  }
}

void AppendEarliest(const PartialSchedule& schedule,
                    std::int64_t node,
                    std::vector<float>& is_earliest) {
  const NodeGraph& graph = schedule.graph();
  std::vector<std::pair<bool, double>> keys;  // [D]: whether it is too full, when
  std::pair<bool, double> least(true, std::numeric_limits<double>::infinity());
  for (std::int64_t device = 0; device < graph.num_devices; ++device) {
    const bool is_full = !schedule.is_faithful() && !schedule.HasRoom(node, device);
    const double seconds = schedule.is_faithful() ? 0.0 : graph.SecondsOn(node, device);
    keys.emplace_back(is_full, schedule.EarliestStart(node, device) + seconds);
    if (graph.MayBeOn(node, device)) {
      least = std::min(least, keys.back());
    }
  }
  for (std::int64_t device = 0; device < graph.num_devices; ++device) {
    const bool is_best =
        graph.MayBeOn(node, device) && keys[static_cast<std::size_t>(device)] == least;
    is_earliest.push_back(is_best ? 1.0F : 0.0F);
  }
}

}  // namespace opyard::agents::doppler
