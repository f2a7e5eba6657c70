#include "sim/io/machine/shape_cost_yaml.h"

#include <charconv>
#include <string_view>

#include "sim/base/quote.h"
#include "sim/io/machine/yaml_fields.h"

namespace opyard::sim {
namespace {

constexpr double kLeastFraction = 1e-6;
constexpr double kMostEMax = 4.0;  // FFT and Winograd convolutions do fewer FLOPs than are counted
constexpr double kMostSaturation = 1e9;
constexpr double kMostGain = 10.0;
constexpr double kMostLoss = 100.0;
constexpr double kMostQ = 1e6;
constexpr std::int64_t kMostTile = 65536;
constexpr std::size_t kMostTiles = 64;

void ReadNumber(YamlMap& map, const std::string& key, double high, double& target) {
  if (const YamlNode* node = map.Optional(key)) {
    Assign(map.reader().Double(*node, 0.0, high), target);
  }
}

void ReadEfficiencyKeys(YamlMap& map, GemmEfficiency& efficiency) {
  if (const YamlNode* node = map.Optional("e_max")) {
    Assign(map.reader().Double(*node, kLeastFraction, kMostEMax), efficiency.e_max);
  }
  ReadNumber(map, "h_m", kMostSaturation, efficiency.h_m);
  ReadNumber(map, "h_n", kMostSaturation, efficiency.h_n);
  ReadNumber(map, "h_k", kMostSaturation, efficiency.h_k);
}

// Where a new block starts from.
GemmEfficiency HeavyEfficiency(const CostParameters& cost) {
  const auto& heavy = cost.classes[static_cast<std::size_t>(FusionClass::kHeavy)];
  return {.e_max = heavy.efficiency.value_or(1.0)};
}

void ReadSeconds(YamlMap& map, const std::string& key, double& target) {
  if (const YamlNode* node = map.Optional(key)) {
    Assign(map.reader().Seconds(*node), target);
  }
}

void ReadRate(YamlMap& map, const std::string& key, std::optional<double>& target) {
  if (const YamlNode* node = map.Optional(key)) {
    YamlReader& reader = map.reader();
    const auto rate = ReadPositiveRate(reader, *node, reader.BytesPerSecond(*node), key);
    target = rate ? rate : target;
  }
}

void ReadKernelTerms(YamlMap& map, KernelTerms& kernel) {
  ReadSeconds(map, "overhead", kernel.overhead_s);
  if (const YamlNode* node = map.Optional("softmax_q")) {
    const auto q = map.reader().Double(*node, 1.0, kMostQ);
    kernel.softmax_q = q ? q : kernel.softmax_q;
  }
  if (const YamlNode* node = map.Optional("memory_efficiency")) {
    const auto fraction = map.reader().Double(*node, kLeastFraction, 1.0);
    kernel.memory_efficiency = fraction ? fraction : kernel.memory_efficiency;
  }
  ReadRate(map, "l2_bandwidth", kernel.l2_bandwidth_bytes_per_s);
}

// "128x256": rows x columns.
std::optional<Tile> ReadTile(YamlReader& reader, const YamlNode& node) {
  const std::optional<std::string> text = reader.Text(node);
  if (!text) {
    return std::nullopt;
  }
  Tile tile;
  const char* const end = text->data() + text->size();
  const auto rows = std::from_chars(text->data(), end, tile.rows);
  const bool has_x = rows.ec == std::errc() && rows.ptr != end && *rows.ptr == 'x';
  const bool is_good = has_x && std::from_chars(rows.ptr + 1, end, tile.columns).ptr == end;
  if (!is_good || tile.rows < 1 || tile.columns < 1 || tile.rows > kMostTile ||
      tile.columns > kMostTile) {
    reader.Problem(node,
                   "found " + Quoted(*text) +
                       ", expected ROWSxCOLUMNS such as 128x256, both 1 to " +
                       std::to_string(kMostTile));
    return std::nullopt;
  }
  return tile;
}

void ReadTiling(YamlMap& map, Tiling& tiling) {
  YamlReader& reader = map.reader();
  if (const YamlNode* node = map.Optional("tiles")) {
    tiling.tiles.clear();
    const std::vector<YamlNode>* items = reader.Items(*node, "tiles");
    if (items != nullptr && items->size() > kMostTiles) {
      reader.Problem(*node, "found more than " + std::to_string(kMostTiles) + " tiles");
      return;
    }
    for (const YamlNode& item : items != nullptr ? *items : std::vector<YamlNode>()) {
      if (const std::optional<Tile> tile = ReadTile(reader, item)) {
        tiling.tiles.push_back(*tile);
      }
    }
  }
  ReadNumber(map, "h_tile", kMostSaturation, tiling.h_tile);
  if (const YamlNode* node = map.Optional("split_overhead")) {
    const std::optional<double> seconds = reader.Seconds(*node);
    tiling.split_overhead_s = seconds ? seconds : tiling.split_overhead_s;
  }
}

void ReadConvPass(YamlMap& map, ConvParameters& block) {
  ReadEfficiencyKeys(map, block.gemm);
  ReadNumber(map, "winograd_gain", kMostGain, block.winograd_gain);
  ReadNumber(map, "stride_loss", kMostLoss, block.stride_loss);
  ReadKernelTerms(map, block.kernel);
}

void ReadRnnPass(YamlMap& map, RnnParameters& block) {
  ReadEfficiencyKeys(map, block.efficiency);
  if (const YamlNode* node = map.Optional("step_overhead")) {
    const std::optional<double> seconds = map.reader().Seconds(*node);
    block.step_overhead_s = seconds ? seconds : block.step_overhead_s;
  }
  ReadRate(map, "weight_bandwidth", block.weight_bandwidth_bytes_per_s);
}

void ReadAttentionPass(YamlMap& map, AttentionParameters& block) {
  ReadEfficiencyKeys(map, block.efficiency);
  ReadKernelTerms(map, block.kernel);
}

// Reads the blocks of the passes `names` of each element type into `blocks`; new ones begin as
// `start`.
template <class Block, std::size_t kPasses>
void ReadPasses(YamlReader& reader,
                const YamlNode& dtype_node,
                const std::string& what,
                const std::array<std::string_view, kPasses>& names,
                std::array<Block, kPasses>& passes,
                void (*read)(YamlMap&, Block&)) {
  YamlMap map(reader, dtype_node, what + " block");
  for (std::size_t pass = 0; pass < kPasses; ++pass) {
    if (const YamlNode* node = map.Optional(std::string(names[pass]))) {
      YamlMap block(reader, *node, what + " pass");
      read(block, passes[pass]);
      block.Finish();
    }
  }
  map.Finish();
}

}  // namespace

void ReadGemm(YamlReader& reader, const YamlNode& node, CostParameters& cost) {
  ForEachDType(reader, node, "gemm", [&](DType dtype, const YamlNode& value) {
    GemmParameters start{.efficiency = HeavyEfficiency(cost)};
    GemmParameters& block = cost.gemm.try_emplace(dtype, start).first->second;
    YamlMap map(reader, value, "gemm block");
    ReadEfficiencyKeys(map, block.efficiency);
    ReadTiling(map, block.tiling);
    ReadKernelTerms(map, block.kernel);
    std::optional<double> quantize;
    ReadRate(map, "quantize_bandwidth", quantize);
    block.quantize_bytes_per_s = quantize.value_or(block.quantize_bytes_per_s);
    map.Finish();
  });
}

void ReadConv(YamlReader& reader, const YamlNode& node, CostParameters& cost) {
  ForEachDType(reader, node, "conv", [&](DType dtype, const YamlNode& value) {
    std::array<ConvParameters, kNumConvPasses> start;
    start.fill({.gemm = HeavyEfficiency(cost)});
    auto& passes = cost.conv.try_emplace(dtype, start).first->second;
    ReadPasses(reader, value, "conv", kConvPassNames, passes, ReadConvPass);
  });
}

void ReadAttention(YamlReader& reader, const YamlNode& node, CostParameters& cost) {
  ForEachDType(reader, node, "attention", [&](DType dtype, const YamlNode& value) {
    std::array<AttentionParameters, kNumAttentionPasses> start;
    start.fill({.efficiency = HeavyEfficiency(cost)});
    auto& passes = cost.attention.try_emplace(dtype, start).first->second;
    ReadPasses(reader, value, "attention", kAttentionPassNames, passes, ReadAttentionPass);
  });
}

// `step_overhead`, and a block for each element type.
void ReadRnn(YamlReader& reader, const YamlNode& node, CostParameters& cost) {
  YamlMap map(reader, node, "rnn");
  ReadSeconds(map, "step_overhead", cost.rnn_step_overhead_s);
  for (std::size_t i = 0; i < kNumDTypes; ++i) {
    const auto dtype = static_cast<DType>(i);
    if (const YamlNode* value = map.Optional(std::string(NameOf(dtype)))) {
      std::array<RnnParameters, kNumRnnPasses> start;
      start.fill({.efficiency = HeavyEfficiency(cost)});
      auto& passes = cost.rnn.try_emplace(dtype, start).first->second;
      ReadPasses(reader, *value, "rnn", kRnnPassNames, passes, ReadRnnPass);
    }
  }
  map.Finish();
}

}  // namespace opyard::sim
