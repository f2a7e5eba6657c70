// Fetches what a run will touch soon, so that it does not wait for memory then.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace opyard::sim {

// Asks for the cache line of `items[index]`. Never fails: outside of the items nothing happens that
// a program could notice. Inlined by force, like functions that do nothing else: GCC takes a call
// without effects away.
template <class Item>
[[gnu::always_inline]] inline void Prefetch(const std::vector<Item>& items, std::int32_t index) {
  const auto first = reinterpret_cast<std::uintptr_t>(items.data());
  const auto offset = static_cast<std::uintptr_t>(std::int64_t{index}) * sizeof(Item);
  __builtin_prefetch(reinterpret_cast<const void*>(first + offset));
}

}  // namespace opyard::sim
