#include "experiments/runner/graphs/profiled_types.h"

#include <algorithm>
#include <cctype>
#include <cstddef>

#include "graphs/importers/torch/aten_ops.h"

namespace opyard::experiments {

std::string LowerCase(std::string_view text) {
  std::string lower(text);
  std::ranges::transform(lower, lower.begin(), [](unsigned char letter) {
    return static_cast<char>(std::tolower(letter));
  });
  return lower;
}

ProfiledTypes::ProfiledTypes(const sim::OpGraph& graph) {
  for (std::size_t i = 0; i < graph.num_ops(); ++i) {
    types_.insert(LowerCase(graph.op(OpId(i)).type));
  }
}

std::string ProfiledTypes::TypeIn(std::string_view name) const {
  constexpr std::string_view kPrefix = "aten::";
  const std::string lower = LowerCase(name);
  std::string_view type = lower;
  const bool is_aten = type.starts_with(kPrefix);
  type.remove_prefix(is_aten ? kPrefix.size() : 0);
  if (types_.contains(type) || !is_aten) {
    return types_.contains(type) ? std::string(type) : "";
  }
  type.remove_suffix(type.ends_with('_') ? 1 : 0);
  const graphs::AtenOp* op = graphs::FindAtenOp(type);
  const std::string imported = op == nullptr || op->is_view ? "" : LowerCase(op->type);
  return types_.contains(imported) ? imported : "";
}

}  // namespace opyard::experiments
