#include "experiments/plans/layouts/network_units.h"

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <tuple>

#include "sim/base/array_index.h"

namespace opyard::experiments {
namespace {

constexpr std::size_t kNoUnit = static_cast<std::size_t>(-1);

// "layer" of "encoder.layer3", "" of "layers.3"; nothing where no number ends the path.
std::optional<std::string> StemOf(const std::string& path) {
  const std::string last = path.substr(path.find_last_of('.') + 1);
  const std::size_t end = last.find_last_not_of("0123456789") + 1;
  return end == last.size() ? std::nullopt : std::optional(last.substr(0, end));
}

// The names of all modules below `module`, each from it on: equal for equal trees.
std::string TreeShapeOf(const sim::ModuleTree& tree, std::int32_t module) {
  const std::string& path = tree.modules[At(module)].path;
  std::vector<std::string> names;
  std::vector<std::int32_t> open = {module};
  while (!open.empty()) {
    const sim::Module& at = tree.modules[At(open.back())];
    open.pop_back();
    names.push_back(at.path.substr(path.size()));
    open.insert(open.end(), at.children.begin(), at.children.end());
  }
  std::ranges::sort(names);
  std::string shape;
  for (const std::string& name : names) {
    shape += name + '\n';
  }
  return shape;
}

struct Family {
  std::int32_t parent = 0;
  std::vector<std::int32_t> blocks;
  std::size_t num_alike = 0;  // modules of the blocks of its most frequent shape
};

// The families below `parent` with two blocks or more.
std::vector<Family> FamiliesBelow(const sim::ModuleTree& tree, std::int32_t parent) {
  std::map<std::string, Family> by_stem;
  std::map<std::string, std::map<std::string, std::size_t>> counts;
  for (const std::int32_t child : tree.modules[At(parent)].children) {
    if (const auto stem = StemOf(tree.modules[At(child)].path)) {
      by_stem[*stem].parent = parent;
      by_stem[*stem].blocks.push_back(child);
      ++counts[*stem][TreeShapeOf(tree, child)];
    }
  }
  std::vector<Family> families;
  for (auto& [stem, family] : by_stem) {
    for (const auto& [shape, count] : counts[stem]) {
      const auto size = static_cast<std::size_t>(std::ranges::count(shape, '\n'));
      family.num_alike = std::max(family.num_alike, count > 1 ? count * size : 0);
    }
    if (family.num_alike > 0) {
      families.push_back(std::move(family));
    }
  }
  return families;
}

std::optional<Family> FindBlocks(const sim::ModuleTree& tree) {
  std::optional<Family> best;
  for (std::size_t i = 0; i < tree.modules.size(); ++i) {
    for (Family& family : FamiliesBelow(tree, Size32(i))) {
      if (!best.has_value() || family.num_alike > best->num_alike) {
        best = std::move(family);
      }
    }
  }
  return best;
}

class UnitFinder {
 public:
  UnitFinder(const sim::OpGraph& graph,
             const sim::ModuleTree& tree,
             const std::vector<OpRole>& roles,
             const Family& family)
      : graph_(graph), tree_(tree), roles_(roles), is_opened_(tree.modules.size()) {
    for (std::int32_t at = family.parent; at >= 0; at = tree.modules[At(at)].parent) {
      is_opened_[At(at)] = true;
    }
    Open(0, family);
    units_.unit_of.assign(graph.num_ops(), kNoUnit);
  }

  NetworkUnits Find() {
    std::vector<std::size_t> unit_of_module(tree_.modules.size(), kNoUnit);
    for (std::size_t i = 0; i < units_.modules.size(); ++i) {
      unit_of_module[At(units_.modules[i])] = i;
    }
    for (std::size_t m = 1; m < tree_.modules.size(); ++m) {  // parents come first
      if (unit_of_module[m] == kNoUnit) {
        unit_of_module[m] = unit_of_module[At(tree_.modules[m].parent)];
      }
    }
    for (std::size_t i = 0; i < graph_.num_ops(); ++i) {
      units_.unit_of[i] = unit_of_module[At(tree_.module_of[i])];
    }
    PlaceForward();
    PlaceBackward();
    PlaceRest();
    JoinLabels();
    return std::move(units_);
  }

 private:
  // Blocks that do not follow each other are moved behind the first of them.
  void Open(std::int32_t module, const Family& family) {
    for (const std::int32_t child : tree_.modules[At(module)].children) {
      const bool is_block = std::ranges::find(family.blocks, child) != family.blocks.end();
      if (is_opened_[At(child)]) {
        Open(child, family);
      } else if (!is_block) {
        units_.modules.push_back(child);
      } else if (child == family.blocks.front()) {
        units_.first_block = units_.modules.size();
        units_.modules.insert(units_.modules.end(), family.blocks.begin(), family.blocks.end());
        units_.end_block = units_.modules.size();
      }
    }
  }

  template <class Visit>
  void ForEachProducer(OpId op, const Visit& visit) const {
    for (const TensorId tensor : graph_.inputs(op)) {
      visit(graph_.tensor(tensor).producer);
    }
  }

  template <class Visit>
  void ForEachReader(OpId op, const Visit& visit) const {
    for (std::size_t i = 0; i < graph_.num_outputs(op); ++i) {
      for (const OpId reader : graph_.consumers(graph_.output(op, i))) {
        visit(reader);
      }
    }
  }

  [[nodiscard]] bool IsOpen(OpId op) const { return units_.unit_of[op.index()] == kNoUnit; }

  // The last unit among the ops that `each` visits, of those of `role`; kNoUnit without any.
  template <class Each>
  [[nodiscard]] std::size_t LastOf(OpId op, OpRole role, const Each& each) const {
    std::size_t last = kNoUnit;
    each(op, [&](OpId other) {
      const std::size_t unit = units_.unit_of[other.index()];
      if (unit != kNoUnit && roles_[other.index()] == role) {
        last = last == kNoUnit ? unit : std::max(last, unit);
      }
    });
    return last;
  }

  template <class Each>
  [[nodiscard]] std::size_t FirstOf(OpId op, const Each& each) const {
    std::size_t first = kNoUnit;
    each(op, [&](OpId other) { first = std::min(first, units_.unit_of[other.index()]); });
    return first;
  }

  void PlaceForward() {
    const auto producers = [this](OpId op, const auto& visit) { ForEachProducer(op, visit); };
    const auto readers = [this](OpId op, const auto& visit) { ForEachReader(op, visit); };
    const auto order = graph_.topological_order();
    for (const OpId op : order) {
      if (IsOpen(op) && roles_[op.index()] == OpRole::kForward) {
        units_.unit_of[op.index()] = LastOf(op, OpRole::kForward, producers);
      }
    }
    for (std::size_t i = order.size(); i-- > 0;) {
      if (IsOpen(order[i]) && roles_[order[i].index()] == OpRole::kForward) {
        units_.unit_of[order[i].index()] = FirstOf(order[i], readers);
      }
    }
  }

  void PlaceBackward() {
    const auto producers = [this](OpId op, const auto& visit) { ForEachProducer(op, visit); };
    const auto readers = [this](OpId op, const auto& visit) { ForEachReader(op, visit); };
    const auto order = graph_.topological_order();
    for (std::size_t i = order.size(); i-- > 0;) {
      if (IsOpen(order[i]) && roles_[order[i].index()] == OpRole::kBackward) {
        units_.unit_of[order[i].index()] = LastOf(order[i], OpRole::kBackward, readers);
      }
    }
    for (const OpId op : order) {
      if (IsOpen(op) && roles_[op.index()] == OpRole::kBackward) {
        units_.unit_of[op.index()] = FirstOf(op, producers);
      }
    }
  }

  void PlaceRest() {
    const auto producers = [this](OpId op, const auto& visit) { ForEachProducer(op, visit); };
    const auto readers = [this](OpId op, const auto& visit) { ForEachReader(op, visit); };
    const auto order = graph_.topological_order();
    for (std::size_t i = order.size(); i-- > 0;) {
      if (IsOpen(order[i])) {
        units_.unit_of[order[i].index()] = FirstOf(order[i], readers);
      }
    }
    for (const OpId op : order) {
      if (IsOpen(op)) {
        const std::size_t unit = FirstOf(op, producers);
        units_.unit_of[op.index()] = unit == kNoUnit ? 0 : unit;
      }
    }
  }

  // Co-located ops go with the first of them: the gradient of a weight that two modules share.
  void JoinLabels() {
    std::vector<std::size_t> unit_of_label(graph_.colocation_labels().size(), kNoUnit);
    for (const OpId op : graph_.topological_order()) {
      if (const auto& label = graph_.op(op).colocation) {
        std::size_t& unit = unit_of_label[At(*label)];
        unit = unit == kNoUnit ? units_.unit_of[op.index()] : unit;
        units_.unit_of[op.index()] = unit;
      }
    }
  }

  const sim::OpGraph& graph_;
  const sim::ModuleTree& tree_;
  const std::vector<OpRole>& roles_;
  std::vector<bool> is_opened_;
  NetworkUnits units_;
};

}  // namespace

std::optional<NetworkUnits> FindUnits(const sim::OpGraph& graph,
                                      const sim::ModuleTree& tree,
                                      const std::vector<OpRole>& roles) {
  const std::optional<Family> family = FindBlocks(tree);
  if (!family.has_value()) {
    return std::nullopt;
  }
  return UnitFinder(graph, tree, roles, *family).Find();
}

}  // namespace opyard::experiments
