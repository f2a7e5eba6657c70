#include "experiments/machines/drawn_graph.h"

#include <algorithm>
#include <cstddef>
#include <deque>
#include <map>

namespace opyard::experiments {
namespace {

void Connect(DrawnGraph& graph, std::size_t a, std::size_t b) {
  graph.neighbours[a].push_back(b);
  graph.neighbours[b].push_back(a);
}

void AddEdges(const sim::HardwareProfile& machine, DrawnGraph& graph) {
  for (const sim::Link& link : machine.links) {
    if (link.between.size() == 2) {
      Connect(graph,
              static_cast<std::size_t>(link.between[0]),
              static_cast<std::size_t>(link.between[1]));
      continue;
    }
    const std::size_t bus = graph.neighbours.size();
    graph.neighbours.emplace_back();
    graph.names.push_back(link.name);
    for (const sim::NodeIndex end : link.between) {
      Connect(graph, bus, static_cast<std::size_t>(end));
    }
  }
}

// Finds switches that stand between one accelerator and others. All accelerators have one, or no
// switch counts as a router.
void FindRouters(DrawnGraph& graph) {
  std::ptrdiff_t num_routers = 0;
  for (std::size_t node = graph.num_devices; node < graph.neighbours.size(); ++node) {
    const NodeList& around = graph.neighbours[node];
    const auto is_device = [&](std::size_t other) { return other < graph.num_devices; };
    const auto device = std::ranges::find_if(around, is_device);
    if (around.size() > 2 && std::ranges::count_if(around, is_device) == 1 &&
        graph.is_accelerator[*device] && graph.neighbours[*device].size() == 1) {
      graph.router_of[node] = *device;
      ++num_routers;
    }
  }
  if (num_routers != std::ranges::count(graph.is_accelerator, true)) {
    std::ranges::fill(graph.router_of, std::nullopt);
  }
}

std::string PrefixOf(const std::string& name) {
  const std::size_t dot = name.find('.');
  return dot == std::string::npos ? "" : name.substr(0, dot);
}

}  // namespace

DrawnGraph DrawnGraphOf(const sim::HardwareProfile& machine) {
  DrawnGraph graph{
      .num_devices = machine.num_devices(),
      .neighbours = std::vector<NodeList>(machine.num_devices() + machine.switches.size())};
  graph.names = machine.DeviceNames();
  graph.names.insert(graph.names.end(), machine.switches.begin(), machine.switches.end());
  AddEdges(machine, graph);
  graph.router_of.resize(graph.neighbours.size());
  const bool has_accelerators = std::ranges::any_of(
      machine.devices, [](const auto& device) { return device.kind != sim::DeviceKind::kCpu; });
  graph.is_accelerator.resize(graph.neighbours.size());
  for (std::size_t i = 0; i < machine.num_devices(); ++i) {
    graph.is_accelerator[i] = !has_accelerators || machine.devices[i].kind != sim::DeviceKind::kCpu;
  }
  FindRouters(graph);
  return graph;
}

LayoutBlocks BlocksOf(const DrawnGraph& graph) {
  LayoutBlocks found;
  std::map<std::string, std::size_t> index;
  for (std::size_t i = 0; i < graph.num_devices; ++i) {
    const std::string prefix = PrefixOf(graph.names[i]);
    if (index.try_emplace(prefix, found.blocks.size()).second) {
      found.blocks.push_back({.title = prefix, .nodes = {}});
    }
    found.blocks[index.at(prefix)].nodes.push_back(i);
  }
  const bool is_whole = found.blocks.size() == 1 && found.blocks.front().title.empty();
  for (std::size_t i = graph.num_devices; i < graph.names.size(); ++i) {
    const bool is_router = graph.router_of[i].has_value();
    const auto block = index.find(PrefixOf(graph.names[graph.router_of[i].value_or(i)]));
    const bool is_inside = block != index.end() && (is_router || !block->first.empty());
    if (is_whole || is_inside) {
      found.blocks[is_whole ? 0 : block->second].nodes.push_back(i);
    } else {
      found.outer.push_back(i);
    }
  }
  return found;
}

std::vector<int> LevelsFrom(const DrawnGraph& graph, const NodeList& from, const NodeList& within) {
  std::vector<int> level(graph.names.size(), -1);
  for (const std::size_t node : within) {
    level[node] = kUnreached;
  }
  std::deque<std::size_t> queue(from.begin(), from.end());
  for (const std::size_t node : from) {
    level[node] = 0;
  }
  while (!queue.empty()) {
    const std::size_t node = queue.front();
    queue.pop_front();
    for (const std::size_t next : graph.neighbours[node]) {
      if (level[next] == kUnreached) {
        level[next] = level[node] + 1;
        queue.push_back(next);
      }
    }
  }
  return level;
}

}  // namespace opyard::experiments
