#include "sim/io/machine/cost_yaml.h"

#include "sim/io/machine/yaml_fields.h"

namespace opyard::sim {
namespace {

constexpr double kLeastFraction = 1e-6;
constexpr double kMostEMax = 4.0;  // FFT and Winograd convolutions do fewer FLOPs than are counted
constexpr double kMostSaturation = 1e9;

void ReadFraction(YamlMap& map, const std::string& key, double& target) {
  if (const YamlNode* node = map.Optional(key)) {
    Assign(map.reader().Double(*node, kLeastFraction, 1.0), target);
  }
}

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

void ReadGemm(YamlReader& reader, const YamlNode& node, CostParameters& cost) {
  ForEachDType(reader, node, "gemm", [&](DType dtype, const YamlNode& value) {
    GemmEfficiency& block = cost.gemm.try_emplace(dtype, HeavyEfficiency(cost)).first->second;
    YamlMap map(reader, value, "gemm block");
    ReadEfficiencyKeys(map, block);
    map.Finish();
  });
}

void ReadConvPass(YamlReader& reader, const YamlNode& node, ConvEfficiency& efficiency) {
  constexpr double kMostGain = 10.0;
  YamlMap map(reader, node, "conv pass");
  ReadEfficiencyKeys(map, efficiency.gemm);
  ReadNumber(map, "winograd_gain", kMostGain, efficiency.winograd_gain);
  map.Finish();
}

void ReadConv(YamlReader& reader, const YamlNode& node, CostParameters& cost) {
  ForEachDType(reader, node, "conv", [&](DType dtype, const YamlNode& value) {
    std::array<ConvEfficiency, 3> start;
    start.fill({.gemm = HeavyEfficiency(cost)});
    std::array<ConvEfficiency, 3>& passes = cost.conv.try_emplace(dtype, start).first->second;
    YamlMap map(reader, value, "conv block");
    const std::array<const char*, 3> names = {"forward", "backward_data", "backward_weight"};
    for (std::size_t pass = 0; pass < names.size(); ++pass) {
      if (const YamlNode* block = map.Optional(names[pass])) {
        ReadConvPass(reader, *block, passes[pass]);
      }
    }
    map.Finish();
  });
}

void ReadCacheTier(YamlReader& reader, const YamlNode& node, CostParameters& cost) {
  YamlMap map(reader, node, "l2");
  const bool is_new = !cost.l2;
  CacheTier tier = cost.l2.value_or(CacheTier{});
  if (const YamlNode* size = is_new ? map.Required("size") : map.Optional("size")) {
    Assign(reader.Size(*size), tier.size);
  }
  if (const YamlNode* rate = is_new ? map.Required("bandwidth") : map.Optional("bandwidth")) {
    Assign(ReadPositiveRate(reader, *rate, reader.BytesPerSecond(*rate), "l2 bandwidth"),
           tier.bandwidth_bytes_per_s);
  }
  map.Finish();
  cost.l2 = tier;
}

void ReadRnn(YamlReader& reader, const YamlNode& node, CostParameters& cost) {
  YamlMap map(reader, node, "rnn");
  if (const YamlNode* overhead = map.Optional("step_overhead")) {
    Assign(reader.Seconds(*overhead), cost.rnn_step_overhead_s);
  }
  map.Finish();
}

void ReadClasses(YamlReader& reader, const YamlNode& node, CostParameters& cost) {
  YamlMap map(reader, node, "classes");
  for (std::size_t i = 0; i < kNumFusionClasses; ++i) {
    const YamlNode* value = map.Optional(std::string(NameOf(static_cast<FusionClass>(i))));
    if (value == nullptr) {
      continue;
    }
    YamlMap block(reader, *value, "class block");
    if (const YamlNode* efficiency = block.Optional("efficiency")) {
      if (const auto read = reader.Double(*efficiency, kLeastFraction, 1.0)) {
        cost.classes[i].efficiency = read;
      }
    }
    if (const YamlNode* efficiency = block.Optional("memory_efficiency")) {
      if (const auto read = reader.Double(*efficiency, kLeastFraction, 1.0)) {
        cost.classes[i].memory_efficiency = read;
      }
    }
    block.Finish();
  }
  map.Finish();
}

void ReadSustainedFraction(YamlReader& reader, const YamlNode& node, CostParameters& cost) {
  ForEachDType(reader, node, "sustained_fraction", [&](DType dtype, const YamlNode& value) {
    if (const auto fraction = reader.Double(value, kLeastFraction, 1.0)) {
      cost.sustained_fraction[dtype] = *fraction;
    }
  });
}

void ReadSoftmaxQ(YamlReader& reader, const YamlNode& node, CostParameters& cost) {
  constexpr double kMostQ = 1e6;
  Assign(reader.Double(node, 1.0, kMostQ), cost.softmax_q);
  if (cost.softmax_q < 1.5 || cost.softmax_q > 8.0) {
    reader.Warn(node, "softmax_q of " + node.text + " is outside the usual 1.5 to 8");
  }
}

}  // namespace

void ReadCostParameters(YamlReader& reader, const YamlNode& node, CostParameters& cost) {
  YamlMap map(reader, node, "cost");
  using ReadBlock = void (*)(YamlReader&, const YamlNode&, CostParameters&);
  const auto read = [&](const std::string& key, ReadBlock block) {
    if (const YamlNode* value = map.Optional(key)) {
      block(reader, *value, cost);
    }
  };
  read("classes", ReadClasses);  // first: new gemm and conv blocks start from it
  read("sustained_fraction", ReadSustainedFraction);
  ReadFraction(map, "default_sustained_fraction", cost.default_sustained_fraction);
  read("softmax_q", ReadSoftmaxQ);
  ReadFraction(map, "memory_efficiency", cost.memory_efficiency);
  read("l2", ReadCacheTier);
  read("gemm", ReadGemm);
  read("conv", ReadConv);
  read("rnn", ReadRnn);
  map.Finish();
}

}  // namespace opyard::sim
