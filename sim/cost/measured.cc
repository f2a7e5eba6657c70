#include "sim/cost/measured.h"

#include <array>

namespace opyard::sim {

std::optional<double> FindMeasuredSeconds(const OpGraph& graph, OpId op, const Device& device) {
  const std::array<std::string_view, 4> from_most_specific = {
      device.name, device.type, NameOf(device.kind), "*"};
  for (const std::string_view where : from_most_specific) {
    for (const MeasuredTime& time : graph.measured_times(op)) {
      if (time.where == where) {
        return time.seconds;
      }
    }
  }
  return std::nullopt;
}

}  // namespace opyard::sim
