// Graphs from arrays of Python.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <pybind11/pybind11.h>

#include "sim/graph/op_graph.h"

namespace opyard::bindings {

// The properties of ops that arrays do not hold.
struct OpWords {
  std::string name;                               // of the graph
  std::optional<std::vector<std::string>> names;  // default: op0, op1, …
  std::optional<std::vector<std::string>> types;  // default: "Task", which is opaque
  pybind11::object seconds;  // [num_ops] on any device, NaN: not known; or None
};

// The graph whose Graph.arrays() `arrays` holds, or a part of it. Throws InputError with all that
// is wrong, each with its place ("arrays#/edge_index/0/3").
[[nodiscard]] std::shared_ptr<const sim::OpGraph> GraphOfArrays(const pybind11::dict& arrays,
                                                                const OpWords& words);

}  // namespace opyard::bindings
