#include "sim/io/machine/yaml_fields.h"

namespace opyard::sim {
namespace {

std::vector<std::string> DTypeNames() {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < kNumDTypes; ++i) {
    const auto dtype = static_cast<DType>(i);
    if (dtype != DType::kOther) {
      names.emplace_back(NameOf(dtype));
    }
  }
  return names;
}

}  // namespace

std::optional<double> ReadPositiveRate(YamlReader& reader,
                                       const YamlNode& node,
                                       std::optional<double> rate,
                                       const std::string& what) {
  if (rate && *rate <= 0.0) {
    reader.Problem(node, what + " is zero, expected more");
    return std::nullopt;
  }
  return rate;
}

void ForEachDType(YamlReader& reader,
                  const YamlNode& node,
                  const std::string& what,
                  const std::function<void(DType, const YamlNode&)>& read) {
  const std::vector<std::string> names = DTypeNames();
  YamlMap map(reader, node, what);
  for (const std::string& name : names) {
    const YamlNode* value = map.Optional(name);
    const std::optional<DType> dtype = FindDType(name);
    if (value != nullptr && dtype) {
      read(*dtype, *value);
    }
  }
  map.Finish();
}

}  // namespace opyard::sim
