#include "graphs/importers/tensorflow/tf_einsum.h"

#include <map>

namespace opyard::graphs {
namespace {

using Extents = std::map<char, double>;  // of labels

// Nothing if `labels` are not as many letters as `shape` has axes, or if one stands twice.
std::optional<Extents> ExtentsOf(std::string_view labels, const Shape& shape) {
  Extents extents;
  for (std::size_t i = 0; i < labels.size() && i < shape.size(); ++i) {
    extents[labels[i]] = static_cast<double>(shape[i]);
  }
  const bool fits = labels.size() == shape.size() && extents.size() == shape.size() &&
                    labels.find('.') == std::string_view::npos;
  return fits ? std::optional(extents) : std::nullopt;
}

}  // namespace

std::optional<OpWork> EinsumWork(std::string_view equation, const Shape& left, const Shape& right) {
  const std::size_t comma = equation.find(',');
  const std::size_t arrow = equation.find("->");
  if (comma == std::string_view::npos || arrow == std::string_view::npos || arrow < comma) {
    return std::nullopt;
  }
  const auto rows = ExtentsOf(equation.substr(0, comma), left);
  const auto columns = ExtentsOf(equation.substr(comma + 1, arrow - comma - 1), right);
  if (!rows || !columns) {
    return std::nullopt;
  }
  const std::string_view result = equation.substr(arrow + 2);
  double m = 1.0;
  double n = 1.0;
  double k = 1.0;
  double batch = 1.0;
  for (const auto& [label, extent] : *rows) {
    const bool is_shared = columns->contains(label);
    if (is_shared && columns->at(label) != extent) {
      return std::nullopt;
    }
    const bool is_kept = result.find(label) != std::string_view::npos;
    (is_shared ? (is_kept ? batch : k) : m) *= extent;
  }
  for (const auto& [label, extent] : *columns) {
    n *= rows->contains(label) ? 1.0 : extent;
  }
  return GemmWork(m, n, k, batch);
}

}  // namespace opyard::graphs
