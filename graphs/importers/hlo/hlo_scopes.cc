#include "graphs/importers/hlo/hlo_scopes.h"

#include <algorithm>
#include <array>

#include "graphs/importers/hlo/hlo_scanner.h"
#include "sim/graph/name_scopes.h"

namespace opyard::graphs {
namespace {

// Functions that were compiled: "jit(step)".
constexpr auto kCompiled = std::to_array<std::string_view>({"jit", "pjit", "pmap", "shard_map"});

// Parts of control flow, and of JAX's own calls.
constexpr auto kCalls = std::to_array<std::string_view>({
    "body",
    "checkpoint",
    "closed_call",
    "cond",
    "core_call",
    "custom_jvp_call",
    "custom_vjp_call",
    "pjit",
    "remat",
    "remat2",
    "rematted_computation",
    "scan",
    "while",
});

template <class Words>
bool IsOneOf(const Words& words, std::string_view word) {
  return std::ranges::find(words, word) != words.end();
}

// The first part of `name`, which ends at a slash outside of parentheses; removes it with the
// slash.
std::string_view TakePart(std::string_view& name) {
  std::size_t end = 0;
  std::int64_t depth = 0;
  while (end < name.size() && (depth > 0 || name[end] != '/')) {
    depth += name[end] == '(' ? 1 : name[end] == ')' ? -1 : 0;
    ++end;
  }
  const std::string_view part = name.substr(0, end);
  name.remove_prefix(std::min(end + 1, name.size()));
  return part;
}

// "layer0" of "transpose(jvp(layer0))"; "" of what is no scope.
std::string_view ScopeIn(std::string_view part) {
  while (part.ends_with(')')) {
    const std::size_t open = part.find('(');
    if (open == std::string_view::npos || IsOneOf(kCompiled, part.substr(0, open))) {
      return {};
    }
    part = part.substr(open + 1, part.size() - open - 2);
  }
  return IsOneOf(kCalls, part) || part.starts_with("branch_") ? std::string_view() : part;
}

}  // namespace

std::string_view OpNameOf(const HloInstruction& instruction) {
  const auto metadata = FindAttribute(instruction.attributes, "metadata");
  std::string_view name = FindAttribute(metadata.value_or(""), "op_name").value_or("");
  if (name.size() >= 2 && name.starts_with('"') && name.ends_with('"')) {
    name = name.substr(1, name.size() - 2);
  }
  return name;
}

std::optional<std::string> ModuleOfOpName(std::string_view op_name) {
  std::string path;
  std::size_t num_scopes = 0;
  std::string_view rest = op_name.substr(0, op_name.find(';'));  // of several ops the first
  while (!rest.empty()) {
    const std::string_view part = TakePart(rest);
    std::string_view scopes = rest.empty() ? std::string_view() : ScopeIn(part);
    while (!scopes.empty() && num_scopes < sim::kMostModuleDepth) {
      std::string scope(TakePart(scopes));  // "a/b" is one scope of JAX
      std::ranges::replace(scope, '.', '_');
      num_scopes += scope.empty() ? 0 : 1;
      path += (path.empty() || scope.empty() ? "" : ".") + scope;
    }
  }
  return path.empty() ? std::nullopt : std::optional(path);
}

}  // namespace opyard::graphs
