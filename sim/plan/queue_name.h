// Names of the queues of devices in plans, experiments and answers.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/plan/plan.h"

namespace opyard::sim {

// "fifo", "priority", "program" or "order".
[[nodiscard]] const char* NameOf(QueueDiscipline queue);

// The queue of that name, if there is one.
[[nodiscard]] std::optional<QueueDiscipline> FindQueue(std::string_view name);

// All names, in the order of QueueDiscipline.
[[nodiscard]] std::vector<std::string> QueueNames();

}  // namespace opyard::sim
