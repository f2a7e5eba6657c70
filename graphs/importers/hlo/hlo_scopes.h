// The modules in JAX's names of ops.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "graphs/importers/hlo/hlo_module.h"

namespace opyard::graphs {

// The op_name of the instruction's metadata; "" without.
[[nodiscard]] std::string_view OpNameOf(const HloInstruction& instruction);

// The path of the module in an op_name: its scopes without the op itself and without what JAX
// adds. Of transformations the scope inside counts, compiled functions and the parts of control
// flow are passed over: "layer0.attention" of
// "jit(step)/transpose(jvp(layer0))/while/body/attention/dot_general". Nothing without scopes.
[[nodiscard]] std::optional<std::string> ModuleOfOpName(std::string_view op_name);

}  // namespace opyard::graphs
