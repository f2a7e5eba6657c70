#include "sim/io/machine/cost_yaml.h"

#include "sim/io/machine/shape_cost_yaml.h"
#include "sim/io/machine/yaml_fields.h"

namespace opyard::sim {
namespace {

constexpr double kLeastFraction = 1e-6;
constexpr double kMostQ = 1e6;
constexpr double kLeastTraffic = 0.01;
constexpr double kMostTraffic = 100.0;
constexpr std::int64_t kMostComputeUnits = 1'000'000;

void ReadFraction(YamlMap& map, const std::string& key, double& target) {
  if (const YamlNode* node = map.Optional(key)) {
    Assign(map.reader().Double(*node, kLeastFraction, 1.0), target);
  }
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

// Op type -> traffic and overhead.
void ReadTypes(YamlReader& reader, const YamlNode& node, CostParameters& cost) {
  YamlMap types(reader, node, "types");
  for (const YamlNode::Entry& entry : node.entries) {
    static_cast<void>(types.Optional(entry.key));
    const YamlNode key = {.kind = YamlNode::Kind::kScalar,
                          .text = entry.key,
                          .is_quoted = true,
                          .line = entry.line,
                          .column = entry.column};
    const std::optional<std::string> type = reader.Name(key);
    if (!type) {
      continue;
    }
    TypeParameters& block = cost.types[*type];
    YamlMap map(reader, entry.value, "type block");
    if (const YamlNode* traffic = map.Optional("traffic")) {
      Assign(reader.Double(*traffic, kLeastTraffic, kMostTraffic), block.traffic);
    }
    if (const YamlNode* overhead = map.Optional("overhead")) {
      Assign(reader.Seconds(*overhead), block.overhead_s);
    }
    map.Finish();
  }
  types.Finish();
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
  if (const YamlNode* units = map.Optional("compute_units")) {
    Assign(reader.Int(*units, 1, kMostComputeUnits), cost.compute_units);
  }
  read("l2", ReadCacheTier);
  read("gemm", ReadGemm);
  read("conv", ReadConv);
  read("attention", ReadAttention);
  read("rnn", ReadRnn);
  read("types", ReadTypes);
  map.Finish();
}

}  // namespace opyard::sim
