#include "graphs/importers/hlo/hlo_parameters.h"

#include <algorithm>

#include "sim/base/error.h"
#include "sim/base/quote.h"

namespace opyard::graphs {
namespace {

// The types of the parameters by number; null where there is none of that number. Numbers beyond
// those of the instructions are left out.
std::vector<const HloType*> ParametersOf(const HloComputation& entry) {
  std::vector<const HloType*> types;
  for (const HloInstruction& instruction : entry.instructions) {
    const std::optional<std::size_t> number = ParameterNumber(instruction);
    if (number.has_value() && *number < entry.instructions.size()) {
      types.resize(std::max(types.size(), *number + 1));
      types[*number] = &instruction.type;
    }
  }
  return types;
}

bool IsSame(const TensorType& a, const TensorType& b) {
  return a.shape == b.shape && a.dtype == b.dtype;
}

}  // namespace

HloState::HloState(const HloModule& module, const std::string& place) {
  const HloComputation& entry = module.computations[module.entry];
  for (const HloType* type : ParametersOf(entry)) {
    is_state_.emplace_back(type == nullptr ? 0 : type->tensors.size());
  }
  const auto aliases = FindAttribute(module.header, "input_output_alias");
  is_stated_ = aliases.has_value();
  if (is_stated_) {
    ReadAliases(module, *aliases, place);
  } else {
    CompareWithRoot(entry);
  }
}

bool HloState::Holds(std::size_t parameter, std::size_t tensor) const {
  return parameter < is_state_.size() && tensor < is_state_[parameter].size() &&
         is_state_[parameter][tensor];
}

// "{ {1}: (0, {}, may-alias), {2,0}: (1, {3}, must-alias) }"
void HloState::ReadAliases(const HloModule& module,
                           std::string_view aliases,
                           const std::string& place) {
  const std::vector<const HloType*> types = ParametersOf(module.computations[module.entry]);
  HloScanner scanner(aliases.starts_with('{') ? aliases.substr(1, aliases.size() - 2) : aliases);
  while (!scanner.AtEnd()) {
    const auto output = scanner.TakeBrackets();
    const bool has_colon = scanner.Take(":");
    const auto input = scanner.TakeBrackets();
    static_cast<void>(scanner.Take(","));
    const std::string_view entry = input.value_or(aliases);
    const std::size_t path = entry.find('{');
    const std::vector<std::int64_t> number = IntegersOf(entry.substr(0, path));
    std::optional<TensorRange> range;
    if (output.has_value() && has_colon && path != std::string_view::npos && number.size() == 1 &&
        number[0] >= 0 && static_cast<std::size_t>(number[0]) < types.size() &&
        types[static_cast<std::size_t>(number[0])] != nullptr) {
      range = TensorsAt(*types[static_cast<std::size_t>(number[0])],
                        IntegersOf(entry.substr(path, entry.find('}', path) - path)));
    }
    if (!range.has_value()) {
      throw InputError(place + ": input_output_alias: found " + Quoted(entry) +
                       ", expected (PARAMETER, {PATH}) of a parameter of ENTRY");
    }
    std::vector<bool>& is_state = is_state_[static_cast<std::size_t>(number[0])];
    for (std::size_t i = range->first; i < range->first + range->count; ++i) {
      is_state[i] = true;
    }
  }
}

void HloState::CompareWithRoot(const HloComputation& entry) {
  const HloType& root = entry.root_instruction().type;
  const std::vector<const HloType*> types = ParametersOf(entry);
  if (!root.is_tuple || root.elements.size() != root.tensors.size()) {
    return;
  }
  const auto count_from = [&](std::size_t first) {
    std::size_t count = 0;
    while (count < types.size() && first + count < root.tensors.size() && types[count] != nullptr &&
           types[count]->tensors.size() == 1 &&
           IsSame(types[count]->tensors[0], root.tensors[first + count])) {
      ++count;
    }
    return count;
  };
  std::size_t count = count_from(0);
  if (count == 0) {
    const auto has_axis = [](const TensorType& tensor) { return !tensor.shape.empty(); };
    const auto first = std::ranges::find_if(root.tensors, has_axis) - root.tensors.begin();
    count = count_from(static_cast<std::size_t>(first));
  }
  for (std::size_t i = 0; i < count; ++i) {
    is_state_[i][0] = true;
  }
}

}  // namespace opyard::graphs
