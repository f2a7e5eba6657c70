#include "sim/fusion/cluster_order.h"

#include <algorithm>

#include "sim/base/check.h"

namespace opyard::sim {
namespace {

constexpr unsigned kLabelBits = 62;
constexpr std::uint64_t kEndLabel = std::uint64_t{1} << kLabelBits;
constexpr std::uint64_t kFirstDistance = std::uint64_t{1} << 32U;
// A range of 2^i labels may hold at most kDensity^i elements: all 62 bits 56 million.
constexpr double kDensity = 4.0 / 3.0;

}  // namespace

void ClusterOrder::Reset(std::size_t num_elements) {
  OPYARD_CHECK(num_elements < std::size_t{1} << 25U, "more than 33 million ops cannot be ordered");
  const auto end = static_cast<std::int32_t>(num_elements);
  next_.resize(num_elements + 1);
  previous_.resize(num_elements + 1);
  label_.resize(num_elements + 1);
  for (std::int32_t e = 0; e <= end; ++e) {
    next_[At(e)] = e < end ? e + 1 : 0;
    previous_[At(e)] = e > 0 ? e - 1 : end;
    label_[At(e)] = e < end ? static_cast<std::uint64_t>(e + 1) * kFirstDistance : 0;
  }
}

void ClusterOrder::Reset(std::size_t num_elements, std::span<const std::int32_t> elements) {
  OPYARD_CHECK(num_elements < std::size_t{1} << 25U, "more than 33 million ops cannot be ordered");
  next_.resize(num_elements + 1);
  previous_.resize(num_elements + 1);
  label_.resize(num_elements + 1);
  std::int32_t last = end();
  std::uint64_t last_label = 0;
  label_[At(last)] = last_label;
  for (const std::int32_t element : elements) {
    next_[At(last)] = element;
    previous_[At(element)] = last;
    label_[At(element)] = last_label += kFirstDistance;
    last = element;
  }
  next_[At(last)] = end();
  previous_[At(end())] = last;
}

std::uint64_t ClusterOrder::FreeLabelsBehind(std::int32_t place) const {
  const std::int32_t next = next_[At(place)];
  return (next == end() ? kEndLabel : label(next)) - label(place) - 1;
}

void ClusterOrder::InsertBehind(std::int32_t place, std::int32_t element, std::uint64_t distance) {
  const std::int32_t next = next_[At(place)];
  label_[At(element)] = label(place) + distance;
  next_[At(element)] = next;
  previous_[At(element)] = place;
  next_[At(place)] = element;
  previous_[At(next)] = element;
}

void ClusterOrder::MoveBehind(std::int32_t place, std::span<std::int32_t> elements) {
  std::ranges::sort(elements, {}, [&](std::int32_t e) { return label(e); });
  for (const std::int32_t element : elements) {
    Remove(element);
  }
  InsertAllBehind(place, elements);
}

void ClusterOrder::InsertAllBehind(std::int32_t place, std::span<const std::int32_t> elements) {
  for (std::size_t i = 0; i < elements.size(); ++i) {
    if (FreeLabelsBehind(place) == 0) {
      SpreadLabelsAround(place);
    }
    const std::uint64_t evenly = FreeLabelsBehind(place) / (elements.size() - i + 1);
    InsertBehind(place, elements[i], std::max<std::uint64_t>(evenly, 1));
    place = elements[i];
  }
}

void ClusterOrder::MoveBefore(std::int32_t place, std::span<std::int32_t> elements) {
  MoveBehind(previous_[At(place)], elements);
}

void ClusterOrder::Remove(std::int32_t element) {
  next_[At(previous_[At(element)])] = next_[At(element)];
  previous_[At(next_[At(element)])] = previous_[At(element)];
}

void ClusterOrder::ReplaceByAll(std::int32_t other, std::span<const std::int32_t> elements) {
  const std::int32_t before = previous_[At(other)];
  Remove(other);
  InsertAllBehind(before, elements);
}

void ClusterOrder::Replace(std::int32_t other, std::int32_t element) {
  Remove(element);
  InsertBehind(previous_[At(other)], element, label(other) - label(previous_[At(other)]));
  Remove(other);
}

// Widens a range of labels around `place` until it is sparse enough, then spreads its elements.
void ClusterOrder::SpreadLabelsAround(std::int32_t place) {
  std::int32_t first = place;
  std::int32_t last = place;
  std::uint64_t count = 1;
  double most = kDensity;
  for (unsigned bits = 2; bits <= kLabelBits; ++bits) {
    most *= kDensity;
    const std::uint64_t size = std::uint64_t{1} << bits;
    const std::uint64_t begin = label(place) & ~(size - 1);
    for (; first != end() && label(previous_[At(first)]) >= begin; ++count) {
      first = previous_[At(first)];
    }
    for (; next_[At(last)] != end() && label(next_[At(last)]) < begin + size; ++count) {
      last = next_[At(last)];
    }
    if (static_cast<double>(count) <= most) {
      for (std::uint64_t i = 0; i < count; ++i, first = next_[At(first)]) {
        label_[At(first)] = begin + i * (size / count);
      }
      return;
    }
  }
  OPYARD_CHECK(false, "the order has no labels left");
}

}  // namespace opyard::sim
