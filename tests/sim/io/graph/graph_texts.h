// Graph files of one and two ops.
#pragma once

#include <string>

namespace opyard::sim {

// A graph with the one op "a" that also has the members `rest`.
inline std::string OneOp(const std::string& rest) {
  return R"({"format": "opyard-graph/1", "name": "g", "ops": [{"name": "a", "type": "Relu", )" +
         rest + "}]}";
}

// A graph of two ops: "mm" with one output, and "b" with the members `rest`.
inline std::string SecondOp(const std::string& rest) {
  return R"({"format": "opyard-graph/1", "name": "g", "ops": [
    {"name": "mm", "type": "MatMul", "outputs": [{"bytes": 8}]},
    {"name": "b", "type": "Relu", )" +
         rest + "}]}";
}

}  // namespace opyard::sim
