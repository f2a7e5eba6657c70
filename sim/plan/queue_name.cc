#include "sim/plan/queue_name.h"

#include <algorithm>
#include <array>

namespace opyard::sim {
namespace {

// As QueueDiscipline has them.
constexpr std::array<const char*, 4> kNames = {"fifo", "priority", "program", "order"};

}  // namespace

const char* NameOf(QueueDiscipline queue) {
  return kNames.at(static_cast<std::size_t>(queue));
}

std::optional<QueueDiscipline> FindQueue(std::string_view name) {
  const auto* const found = std::ranges::find(kNames, name);
  return found == kNames.end()
             ? std::nullopt
             : std::optional(static_cast<QueueDiscipline>(found - kNames.begin()));
}

std::vector<std::string> QueueNames() {
  return {kNames.begin(), kNames.end()};
}

}  // namespace opyard::sim
