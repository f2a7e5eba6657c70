#include "tests/support/block_network.h"

#include <utility>
#include <vector>

#include "tests/support/small_graphs.h"

namespace opyard::testing {
namespace {

class BlockBuilder {
 public:
  std::shared_ptr<const sim::OpGraph> Build(const BlockNetwork& network) {
    sim::OpSpec input = TimedOp("x", 0);
    input.type = "Placeholder";
    std::int64_t at = Add(std::move(input), "", sim::Phase::kForward);
    at = AddProduct("embed/mm", "embed", at);
    for (std::int32_t i = 0; i < network.num_blocks; ++i) {
      const std::string block = "layers." + std::to_string(i);
      const std::int64_t norm = AddForward(block + "/norm", block, {at});
      const std::int64_t up = AddProduct(block + "/up", block + ".up", norm);
      at = AddForward(block + "/add", block, {at, up});
    }
    at = AddProduct("head/mm", "head", at);
    if (network.has_loss) {
      at = AddForward("loss", "", {at});
    }
    for (std::size_t i = network.has_backward ? forward_.size() : 0; i-- > 0;) {
      const auto [forward, module] = forward_[i];
      const sim::OpSpec& op = specs_[static_cast<std::size_t>(forward)];
      const std::string name = op.name;
      const bool has_weight =
          specs_[static_cast<std::size_t>(op.inputs.back().op)].type == "Variable";
      const std::vector<sim::InputRef> inputs = {{.op = at}, {.op = forward}};
      at = Add(TimedOp(name + "_grad", 1, inputs), module, sim::Phase::kBackward);
      if (has_weight) {
        (void)Add(TimedOp(name + "_wgrad", 1, inputs), module, sim::Phase::kBackward);
      }
    }
    return MakeGraph(std::move(specs_));
  }

 private:
  std::int64_t Add(sim::OpSpec op, const std::string& module, sim::Phase phase) {
    op.module = module;
    op.phase = phase;
    specs_.push_back(std::move(op));
    return static_cast<std::int64_t>(specs_.size()) - 1;
  }

  std::int64_t AddForward(const std::string& name,
                          const std::string& module,
                          const std::vector<std::int64_t>& reads) {
    std::vector<sim::InputRef> inputs;
    for (const std::int64_t op : reads) {
      inputs.push_back({.op = op});
    }
    const std::int64_t op = Add(TimedOp(name, 1, std::move(inputs)), module, sim::Phase::kForward);
    forward_.emplace_back(op, module);
    return op;
  }

  std::int64_t AddProduct(const std::string& name, const std::string& module, std::int64_t read) {
    const std::string weight = name.substr(0, name.rfind('/')) + "/weight";
    const std::int64_t variable = Add(VariableOp(weight, 8), module, sim::Phase::kForward);
    return AddForward(name, module, {read, variable});
  }

  std::vector<sim::OpSpec> specs_;
  std::vector<std::pair<std::int64_t, std::string>> forward_;  // that compute, with their modules
};

}  // namespace

std::shared_ptr<const sim::OpGraph> MakeBlockNetwork(const BlockNetwork& network) {
  return BlockBuilder().Build(network);
}

sim::OpPlacement PlacedByModule(const sim::OpGraph& graph,
                                const std::map<std::string, std::int32_t>& devices) {
  sim::OpPlacement placement;
  for (const sim::Op& op : graph.ops()) {
    std::string path = graph.module_paths()[static_cast<std::size_t>(op.module.value())];
    while (!devices.contains(path)) {
      const std::size_t dot = path.rfind('.');
      path = dot == std::string::npos ? "" : path.substr(0, dot);
    }
    placement.emplace_back(devices.at(path));
  }
  return placement;
}

}  // namespace opyard::testing
