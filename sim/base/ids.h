// Index types: the wrong kind of index does not compile.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>

namespace opyard {

// A position in one kind of array. `Tag` only distinguishes the kinds.
template <class Tag>
struct Id {
  std::int32_t value = 0;

  constexpr Id() = default;
  constexpr explicit Id(std::int32_t index) : value(index) {}
  constexpr explicit Id(std::size_t index) : value(static_cast<std::int32_t>(index)) {}

  [[nodiscard]] constexpr std::size_t index() const { return static_cast<std::size_t>(value); }
  friend constexpr auto operator<=>(const Id&, const Id&) = default;
};

using OpId = Id<struct OpTag>;            // in OpGraph::ops()
using TensorId = Id<struct TensorTag>;    // in OpGraph::tensors()
using DeviceId = Id<struct DeviceTag>;    // in HardwareProfile::devices()
using ChannelId = Id<struct ChannelTag>;  // in LoweredProblem::channels()
using GroupId = Id<struct GroupTag>;      // in [0, Grouping::num_groups)

}  // namespace opyard

template <class Tag>
struct std::hash<opyard::Id<Tag>> {
  std::size_t operator()(opyard::Id<Tag> id) const { return std::hash<std::int32_t>()(id.value); }
};
