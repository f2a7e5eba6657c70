// The parameters of a module's ENTRY: which of their tensors are the state of a step.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "graphs/importers/hlo/hlo_module.h"

namespace opyard::graphs {

// A step gives back the state that it updates. input_output_alias of the module's header says which
// tensors those are. Without it they are the first parameters whose shapes are those of the root's
// elements of the same number: steps give their state back in the order in which they take it.
// Where none matches, the comparison starts behind the leading scalars of the root, such as the
// loss.
class HloState {
 public:
  // Throws InputError, naming `place`, if the header names a tensor that is not there.
  HloState(const HloModule& module, const std::string& place);

  [[nodiscard]] bool Holds(std::size_t parameter, std::size_t tensor) const;
  // True if the file itself says it.
  [[nodiscard]] bool is_stated() const { return is_stated_; }

 private:
  void ReadAliases(const HloModule& module, std::string_view aliases, const std::string& place);
  void CompareWithRoot(const HloComputation& entry);

  std::vector<std::vector<bool>> is_state_;  // [parameters][tensors]
  bool is_stated_ = false;
};

}  // namespace opyard::graphs
