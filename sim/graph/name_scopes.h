// Modules in the names of ops, where the graph itself names none.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/graph/op.h"

namespace opyard::sim {

// The most names in the path of a module; scopes of names are cut there.
inline constexpr std::size_t kMostModuleDepth = 64;

// An op as far as its name holds a module.
struct NamedOp {
  std::string_view name;
  Phase phase = Phase::kUnknown;
};

// The path of the module of each op, nothing where the name has none.
//
// A forward op is in the scope of its name: "encoder.0" of "encoder/0/MatMul" and of
// "/encoder.0/MatMul". A scope ends before a part that is the name of an op: "dense/kernel/read",
// beside an op "dense/kernel", is in "dense". Other ops repeat the scope of a forward op among the
// words of who made them: "gradients/encoder/0/MatMul_grad/Sum" and
// "encoder.0.weight/ApplyGradient" are in "encoder.0". From the left, each part of their scope
// counts that leads to a module of a forward op, the others are passed over. In a graph without
// forward ops all count as such. O(total length of the names) but for the depth of scopes.
[[nodiscard]] std::vector<std::optional<std::string>> ModulesOfNames(std::span<const NamedOp> ops);

}  // namespace opyard::sim
