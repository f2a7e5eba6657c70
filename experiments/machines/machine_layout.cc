#include "experiments/machines/machine_layout.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <map>
#include <string>
#include <utility>

#include "experiments/machines/drawn_graph.h"
#include "experiments/text/number_format.h"

namespace opyard::experiments {
namespace {

constexpr double kMargin = 16.0;
constexpr double kRowPitch = 84.0;
constexpr double kGridPitch = 96.0;
constexpr double kGap = 22.0;  // between neighbours of a row
constexpr double kDeviceHeight = 44.0;
constexpr double kSwitchHeight = 20.0;
constexpr double kFrameTitle = 18.0;
constexpr std::size_t kLongestRow = 12;

// Lays a machine out, block by block.
class Layouter {
 public:
  explicit Layouter(const sim::HardwareProfile& machine)
      : graph_(DrawnGraphOf(machine)),
        parts_(BlocksOf(graph_)),
        layout_{.nodes = std::vector<Placement2d>(graph_.names.size()), .labels = graph_.names} {
    ShortenLabels();
    SetSizes(machine);
  }

  MachineLayout Run() {
    NodeList inner;
    for (const LayoutBlock& block : parts_.blocks) {
      PlaceBlock(block);
      inner.insert(inner.end(), block.nodes.begin(), block.nodes.end());
    }
    WrapBlocks();
    PlaceLevels(inner, parts_.outer, {.y = 0.0, .direction = -1.0});
    MoveToOrigin();
    return std::move(layout_);
  }

 private:
  struct Rows {
    double y = 0.0;           // of the row that the levels are counted from
    double direction = -1.0;  // -1 upwards, 1 downwards
  };

  void ShortenLabels() {
    for (const LayoutBlock& block : parts_.blocks) {
      for (const std::size_t node : block.nodes) {
        if (!block.title.empty() && graph_.names[node].starts_with(block.title + ".")) {
          layout_.labels[node].erase(0, block.title.size() + 1);
        }
      }
    }
  }

  void SetSizes(const sim::HardwareProfile& machine) {
    constexpr double kLetter = 6.4;
    constexpr double kSmallLetter = 5.3;
    double widest = 64.0;
    for (std::size_t i = 0; i < machine.num_devices(); ++i) {
      widest =
          std::max({widest,
                    kLetter * static_cast<double>(ColumnsOf(layout_.labels[i])) + 12.0,
                    kSmallLetter * static_cast<double>(ColumnsOf(machine.devices[i].type)) + 12.0});
    }
    for (std::size_t i = 0; i < graph_.names.size(); ++i) {
      const double width = kLetter * static_cast<double>(ColumnsOf(layout_.labels[i]));
      layout_.nodes[i].width = i < graph_.num_devices ? widest
                               : graph_.router_of[i]  ? 10.0
                                                      : width + 12.0;
      layout_.nodes[i].height = i < graph_.num_devices ? kDeviceHeight
                                : graph_.router_of[i]  ? 10.0
                                                       : kSwitchHeight;
    }
    layout_.device_pitch = widest + kGap;
  }

  NodeList AcceleratorsOf(const LayoutBlock& block) const {
    NodeList found;
    std::ranges::copy_if(block.nodes, std::back_inserter(found), [&](std::size_t node) {
      return graph_.is_accelerator[node];
    });
    if (found.empty()) {
      std::ranges::copy_if(block.nodes, std::back_inserter(found), [&](std::size_t node) {
        return node < graph_.num_devices;
      });
    }
    return found;
  }

  // The nodes that a device or its router is linked to, routers replaced by their devices.
  NodeList MeshNeighbours(std::size_t device) const {
    NodeList found;
    const auto add = [&](std::size_t node) {
      found.push_back(graph_.router_of[node].value_or(node));
    };
    for (const std::size_t next : graph_.neighbours[device]) {
      if (graph_.router_of[next] == device) {
        std::ranges::for_each(graph_.neighbours[next], add);
      } else {
        add(next);
      }
    }
    return found;
  }

  // The length of all links between devices in rows of `columns`.
  double MeshLength(const NodeList& devices, std::size_t columns) const {
    std::map<std::size_t, std::size_t> slot;
    for (std::size_t i = 0; i < devices.size(); ++i) {
      slot[devices[i]] = i;
    }
    double length = 0.0;
    for (const auto& [device, at] : slot) {
      for (const std::size_t next : MeshNeighbours(device)) {
        const auto other = slot.find(next);
        if (other != slot.end()) {
          const auto apart = [](std::size_t a, std::size_t b) {
            return static_cast<double>(std::max(a, b) - std::min(a, b));
          };
          length += apart(at % columns, other->second % columns) +
                    apart(at / columns, other->second / columns);
        }
      }
    }
    return length;
  }

  std::size_t ColumnsFor(const NodeList& devices) const {
    constexpr std::size_t kFewest = 4;
    constexpr std::size_t kMost = 16;
    if (devices.size() <= kLongestRow) {
      return std::max<std::size_t>(1, devices.size());
    }
    std::size_t best = devices.size() <= 2 * kMost ? kMost / 2 : kMost;
    double least = MeshLength(devices, best);
    for (std::size_t columns = kFewest; columns <= kMost; ++columns) {
      const double length = MeshLength(devices, columns);
      if (length < least) {
        best = columns;
        least = length;
      }
    }
    return best;
  }

  void PlaceDevices(const NodeList& devices) {
    const std::size_t columns = ColumnsFor(devices);
    const bool is_grid = devices.size() > columns;
    layout_.is_grid = layout_.is_grid || is_grid;
    for (std::size_t i = 0; i < devices.size(); ++i) {
      Placement2d& place = layout_.nodes[devices[i]];
      place.x = next_x_ + layout_.device_pitch * (static_cast<double>(i % columns) + 0.5);
      place.y = kGridPitch * static_cast<double>(i / columns);
    }
  }

  // Beside the lower right corner of the device.
  void PlaceRouters(const NodeList& nodes) {
    for (const std::size_t node : nodes) {
      if (const auto device = graph_.router_of[node]) {
        const Placement2d& beside = layout_.nodes[*device];
        layout_.nodes[node].x = beside.x + beside.width / 2;
        layout_.nodes[node].y = beside.y + beside.height / 2;
      }
    }
  }

  // True if a switch or bus connects nothing but accelerators.
  bool IsFabric(std::size_t node) const {
    return node >= graph_.num_devices && !graph_.neighbours[node].empty() &&
           std::ranges::all_of(graph_.neighbours[node],
                               [&](std::size_t next) { return graph_.is_accelerator[next]; });
  }

  void PlaceBlock(const LayoutBlock& block) {
    const NodeList accelerators = AcceleratorsOf(block);
    PlaceDevices(accelerators);
    NodeList above;
    NodeList below;
    for (const std::size_t node : block.nodes) {
      if (!graph_.router_of[node] && std::ranges::find(accelerators, node) == accelerators.end()) {
        above.push_back(node);
      }
    }
    if (!std::ranges::all_of(above, [&](std::size_t node) { return IsFabric(node); })) {
      std::ranges::copy_if(
          above, std::back_inserter(below), [&](std::size_t node) { return IsFabric(node); });
      std::erase_if(above, [&](std::size_t node) { return IsFabric(node); });
    }
    PlaceRouters(block.nodes);
    PlaceLevels(accelerators, above, {.y = 0.0, .direction = -1.0});
    PlaceLevels(accelerators, below, {.y = Bottom(accelerators), .direction = 1.0});
    CloseBlock(block, accelerators);
  }

  // The lowest y of devices and of the arcs below their row.
  double Bottom(const NodeList& devices) const {
    constexpr double kArcs = 90.0;
    double bottom = 0.0;
    bool has_arcs = false;
    for (const std::size_t device : devices) {
      bottom = std::max(bottom, layout_.nodes[device].y);
      has_arcs = has_arcs || std::ranges::any_of(graph_.neighbours[device], [&](std::size_t next) {
                   return next < graph_.num_devices && graph_.is_accelerator[next];
                 });
    }
    return bottom + (has_arcs ? kArcs : 0.0);
  }

  // Places `nodes` in rows by their distance from `base`, each near its neighbours of lower rows.
  void PlaceLevels(const NodeList& base, const NodeList& nodes, const Rows& rows) {
    std::vector<int> level = LevelsFrom(graph_, base, nodes);
    const double top = rows.direction < 0 ? Top(base) : rows.y;
    std::map<int, NodeList> by_level;
    for (const std::size_t node : nodes) {
      level[node] = level[node] == kUnreached ? 1 : level[node];
      by_level[level[node]].push_back(node);
    }
    for (auto& [at, row] : by_level) {
      for (const std::size_t node : row) {
        layout_.nodes[node].y = top + rows.direction * kRowPitch * at;
        layout_.nodes[node].x = MeanBelow(node, level);
      }
      SpreadRow(row);
    }
  }

  double Top(const NodeList& nodes) const {
    double top = std::numeric_limits<double>::max();
    for (const std::size_t node : nodes) {
      top = std::min(top, layout_.nodes[node].y);
    }
    return nodes.empty() ? 0.0 : top;
  }

  // The mean x of the neighbours of lower levels; where the block begins if there are none.
  double MeanBelow(std::size_t node, const std::vector<int>& level) const {
    double sum = 0.0;
    double count = 0.0;
    for (const std::size_t next : graph_.neighbours[node]) {
      if (level[next] >= 0 && level[next] < level[node]) {
        sum += layout_.nodes[next].x;
        count += 1.0;
      }
    }
    return count > 0.0 ? sum / count : next_x_;
  }

  // Moves nodes of one row apart, about the same middle.
  void SpreadRow(NodeList row) {
    std::ranges::stable_sort(row, {}, [&](std::size_t node) { return layout_.nodes[node].x; });
    double shift = 0.0;
    for (std::size_t i = 0; i < row.size(); ++i) {
      Placement2d& place = layout_.nodes[row[i]];
      const double wanted = place.x;
      if (i > 0) {
        const Placement2d& left = layout_.nodes[row[i - 1]];
        place.x = std::max(place.x, left.x + (left.width + place.width) / 2 + kGap);
      }
      shift += (place.x - wanted) / static_cast<double>(row.size());
    }
    for (const std::size_t node : row) {
      layout_.nodes[node].x -= shift;
    }
  }

  // The frame of a block, and where the next one begins.
  void CloseBlock(const LayoutBlock& block, const NodeList& accelerators) {
    constexpr double kInset = 14.0;
    double left = std::numeric_limits<double>::max();
    double right = next_x_;
    double top = left;
    double bottom = Bottom(accelerators) + kDeviceHeight / 2;
    for (const std::size_t node : block.nodes) {
      const Placement2d& place = layout_.nodes[node];
      left = std::min(left, place.x - place.width / 2);
      right = std::max(right, place.x + place.width / 2);
      top = std::min(top, place.y - place.height / 2);
      bottom = std::max(bottom, place.y + place.height / 2);
    }
    if (left < next_x_) {  // a row above is wider than the devices
      for (const std::size_t node : block.nodes) {
        layout_.nodes[node].x += next_x_ - left;
      }
      right += next_x_ - left;
      left = next_x_;
    }
    const Placement2d frame{.x = (left + right) / 2,
                            .y = (top + bottom - kFrameTitle) / 2,
                            .width = right - left + 2 * kInset,
                            .height = bottom - top + kFrameTitle + 2 * kInset};
    extent_.push_back(frame);
    if (!block.title.empty()) {
      layout_.frames.push_back({.title = block.title, .place = frame});
    }
    next_x_ = right + 2 * kInset + kGap;
  }

  // Breaks a long row of blocks into several.
  void WrapBlocks() {
    constexpr std::size_t kMostInRow = 6;
    if (extent_.size() <= kMostInRow) {
      return;
    }
    const auto columns =
        static_cast<std::size_t>(std::ceil(std::sqrt(static_cast<double>(extent_.size()))));
    const double pitch = kGap + std::ranges::max(extent_, {}, &Placement2d::height).height;
    const std::vector<Placement2d> row = extent_;
    const auto left = [&](std::size_t block) { return row[block].x - row[block].width / 2; };
    for (std::size_t i = columns; i < extent_.size(); ++i) {
      MoveBlock(i, left(0) - left(i / columns * columns), pitch * static_cast<double>(i / columns));
    }
  }

  void MoveBlock(std::size_t block, double dx, double dy) {
    const auto move = [&](Placement2d& place) {
      place.x += dx;
      place.y += dy;
    };
    for (const std::size_t node : parts_.blocks[block].nodes) {
      move(layout_.nodes[node]);
    }
    for (LayoutFrame& frame : layout_.frames) {
      if (frame.title == parts_.blocks[block].title) {
        move(frame.place);
      }
    }
    move(extent_[block]);
  }

  // Everything moves right and down of the margin.
  void MoveToOrigin() {
    std::vector<Placement2d> all = layout_.nodes;
    all.insert(all.end(), extent_.begin(), extent_.end());
    double left = std::numeric_limits<double>::max();
    double top = left;
    for (const Placement2d& place : all) {
      left = std::min(left, place.x - place.width / 2);
      top = std::min(top, place.y - place.height / 2);
      layout_.width = std::max(layout_.width, place.x + place.width / 2);
      layout_.height = std::max(layout_.height, place.y + place.height / 2);
    }
    for (Placement2d& place : layout_.nodes) {
      place.x += kMargin - left;
      place.y += kMargin - top;
    }
    for (LayoutFrame& frame : layout_.frames) {
      frame.place.x += kMargin - left;
      frame.place.y += kMargin - top;
    }
    layout_.width += 2 * kMargin - left;
    layout_.height += 2 * kMargin - top;
  }

  DrawnGraph graph_;
  LayoutBlocks parts_;
  MachineLayout layout_;
  std::vector<Placement2d> extent_;  // of the blocks
  double next_x_ = 0.0;              // where the next block begins
};

}  // namespace

MachineLayout LayOut(const sim::HardwareProfile& machine) {
  return Layouter(machine).Run();
}

}  // namespace opyard::experiments
