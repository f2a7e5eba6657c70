#include "sim/graph/name_scopes.h"

#include <algorithm>
#include <unordered_set>
#include <utility>

namespace opyard::sim {
namespace {

// The parts of `name` between slashes and dots; kMostModuleDepth and one more at most.
std::vector<std::string_view> PartsOf(std::string_view name) {
  std::vector<std::string_view> parts;
  while (!name.empty() && parts.size() <= kMostModuleDepth) {
    const std::size_t end = std::min(name.find_first_of("/."), name.size());
    if (end > 0) {
      parts.push_back(name.substr(0, end));
    }
    name.remove_prefix(std::min(end + 1, name.size()));
  }
  return parts;
}

// The first kMostModuleDepth of `parts` with dots between.
std::string PathOf(std::span<const std::string_view> parts) {
  std::string path;
  for (const std::string_view part : parts.first(std::min(parts.size(), kMostModuleDepth))) {
    path += (path.empty() ? "" : ".") + std::string(part);
  }
  return path;
}

class NameReader {
 public:
  explicit NameReader(std::span<const NamedOp> ops) : ops_(ops) {
    for (const NamedOp& op : ops) {
      names_.insert(op.name);
    }
    has_forward_ =
        std::ranges::any_of(ops, [](const NamedOp& op) { return op.phase == Phase::kForward; });
  }

  std::vector<std::optional<std::string>> Read() {
    std::vector<std::optional<std::string>> modules(ops_.size());
    for (std::size_t i = 0; i < ops_.size(); ++i) {
      if (IsForward(ops_[i])) {
        modules[i] = ScopeOf(ops_[i].name);
        Know(modules[i].value_or(""));
      }
    }
    for (std::size_t i = 0; i < ops_.size(); ++i) {
      if (!IsForward(ops_[i])) {
        modules[i] = RepeatedIn(ops_[i].name);
      }
    }
    return modules;
  }

 private:
  [[nodiscard]] bool IsForward(const NamedOp& op) const {
    return !has_forward_ || op.phase == Phase::kForward;
  }

  [[nodiscard]] std::optional<std::string> ScopeOf(std::string_view name) const {
    std::size_t end = 0;  // of the scope
    std::size_t num_parts = 0;
    for (std::size_t slash = name.find('/');
         slash != std::string_view::npos && num_parts <= kMostModuleDepth &&
         !names_.contains(name.substr(0, slash));
         slash = name.find('/', slash + 1)) {
      end = slash;
      ++num_parts;
    }
    const std::string path = PathOf(PartsOf(name.substr(0, end)));
    return path.empty() ? std::nullopt : std::optional(path);
  }

  // Remembers `path` and the modules around it.
  void Know(std::string path) {
    while (!path.empty() && paths_.insert(path).second) {
      const std::size_t dot = path.rfind('.');
      path.resize(dot == std::string::npos ? 0 : dot);
    }
  }

  [[nodiscard]] std::optional<std::string> RepeatedIn(std::string_view name) const {
    std::string path;
    for (const std::string_view part : PartsOf(name.substr(0, name.rfind('/')))) {
      std::string inner = path + (path.empty() ? "" : ".") + std::string(part);
      if (paths_.contains(inner)) {
        path = std::move(inner);
      }
    }
    return path.empty() ? std::nullopt : std::optional(path);
  }

  std::span<const NamedOp> ops_;
  bool has_forward_ = false;
  std::unordered_set<std::string_view> names_;
  std::unordered_set<std::string> paths_;  // of modules of forward ops, and those around them
};

}  // namespace

std::vector<std::optional<std::string>> ModulesOfNames(std::span<const NamedOp> ops) {
  return NameReader(ops).Read();
}

}  // namespace opyard::sim
