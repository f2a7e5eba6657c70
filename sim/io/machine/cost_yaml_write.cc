#include "sim/io/machine/cost_yaml_write.h"

#include <array>
#include <string>
#include <vector>

namespace opyard::sim {
namespace {

void AddEfficiency(const GemmEfficiency& gemm, FlowMap& map) {
  map.Add("e_max", gemm.e_max).Add("h_m", gemm.h_m).Add("h_n", gemm.h_n).Add("h_k", gemm.h_k);
}

void AddKernelTerms(const KernelTerms& kernel, FlowMap& map) {
  if (kernel.overhead_s > 0.0) {
    map.Add("overhead", kernel.overhead_s, "s");
  }
  if (kernel.softmax_q) {
    map.Add("softmax_q", *kernel.softmax_q);
  }
  if (kernel.memory_efficiency) {
    map.Add("memory_efficiency", *kernel.memory_efficiency);
  }
  if (kernel.l2_bandwidth_bytes_per_s) {
    map.Add("l2_bandwidth", *kernel.l2_bandwidth_bytes_per_s, "B/s");
  }
}

void AddTiling(const Tiling& tiling, FlowMap& map) {
  if (!tiling.tiles.empty()) {
    std::vector<std::string> tiles;
    for (const Tile& tile : tiling.tiles) {
      tiles.push_back(std::to_string(tile.rows) + "x" + std::to_string(tile.columns));
    }
    map.Add("tiles", ListOf(tiles)).Add("h_tile", tiling.h_tile);
  }
  if (tiling.split_overhead_s) {
    map.Add("split_overhead", *tiling.split_overhead_s, "s");
  }
}

FlowMap Block(const GemmParameters& gemm) {
  FlowMap map;
  AddEfficiency(gemm.efficiency, map);
  AddTiling(gemm.tiling, map);
  AddKernelTerms(gemm.kernel, map);
  if (gemm.quantize_bytes_per_s > 0.0) {
    map.Add("quantize_bandwidth", gemm.quantize_bytes_per_s, "B/s");
  }
  return map;
}

FlowMap Block(const ConvParameters& conv) {
  FlowMap map;
  AddEfficiency(conv.gemm, map);
  map.Add("winograd_gain", conv.winograd_gain).Add("stride_loss", conv.stride_loss);
  AddKernelTerms(conv.kernel, map);
  return map;
}

FlowMap Block(const AttentionParameters& attention) {
  FlowMap map;
  AddEfficiency(attention.efficiency, map);
  AddKernelTerms(attention.kernel, map);
  return map;
}

FlowMap Block(const RnnParameters& rnn) {
  FlowMap map;
  AddEfficiency(rnn.efficiency, map);
  if (rnn.step_overhead_s) {
    map.Add("step_overhead", *rnn.step_overhead_s, "s");
  }
  if (rnn.weight_bandwidth_bytes_per_s) {
    map.Add("weight_bandwidth", *rnn.weight_bandwidth_bytes_per_s, "B/s");
  }
  return map;
}

// A block for each pass of each element type.
template <class Parameters, std::size_t kPasses>
void AddPasses(const std::map<DType, std::array<Parameters, kPasses>>& blocks,
               const std::array<std::string_view, kPasses>& names,
               FlowMap& map) {
  for (const auto& [dtype, passes] : blocks) {
    FlowMap block;
    for (std::size_t i = 0; i < kPasses; ++i) {
      block.Add(names[i], Block(passes[i]));
    }
    map.Add(NameOf(dtype), block);
  }
}

FlowMap Gemm(const CostParameters& cost) {
  FlowMap all;
  for (const auto& [dtype, gemm] : cost.gemm) {
    all.Add(NameOf(dtype), Block(gemm));
  }
  return all;
}

FlowMap Classes(const CostParameters& cost) {
  FlowMap all;
  for (std::size_t i = 0; i < cost.classes.size(); ++i) {
    FlowMap block;
    if (cost.classes[i].efficiency.has_value()) {
      block.Add("efficiency", *cost.classes[i].efficiency);
    }
    if (cost.classes[i].memory_efficiency.has_value()) {
      block.Add("memory_efficiency", *cost.classes[i].memory_efficiency);
    }
    all.Add(NameOf(static_cast<FusionClass>(i)), block);
  }
  return all;
}

FlowMap Types(const CostParameters& cost) {
  FlowMap all;
  for (const auto& [type, parameters] : cost.types) {
    FlowMap block;
    block.Add("traffic", parameters.traffic).Add("overhead", parameters.overhead_s, "s");
    all.Add(YamlString(type), block);
  }
  return all;
}

FlowMap Rates(const CostParameters& cost) {
  FlowMap sustained;
  for (const auto& [dtype, fraction] : cost.sustained_fraction) {
    sustained.Add(NameOf(dtype), fraction);
  }
  FlowMap map;
  map.Add("sustained_fraction", sustained)
      .Add("default_sustained_fraction", cost.default_sustained_fraction)
      .Add("softmax_q", cost.softmax_q)
      .Add("memory_efficiency", cost.memory_efficiency)
      .Add("compute_units", std::to_string(cost.compute_units));
  if (cost.l2.has_value()) {
    FlowMap tier;
    tier.Add("size", std::to_string(cost.l2->size.count) + " B")
        .Add("bandwidth", cost.l2->bandwidth_bytes_per_s, "B/s");
    map.Add("l2", tier);
  }
  return map;
}

}  // namespace

FlowMap CostFlowMap(const CostParameters& cost) {
  FlowMap map = Rates(cost);
  FlowMap conv;
  AddPasses(cost.conv, kConvPassNames, conv);
  FlowMap attention;
  AddPasses(cost.attention, kAttentionPassNames, attention);
  FlowMap rnn;
  rnn.Add("step_overhead", cost.rnn_step_overhead_s, "s");
  AddPasses(cost.rnn, kRnnPassNames, rnn);
  map.Add("gemm", Gemm(cost)).Add("conv", conv).Add("attention", attention).Add("rnn", rnn);
  return map.Add("classes", Classes(cost)).Add("types", Types(cost));
}

}  // namespace opyard::sim
