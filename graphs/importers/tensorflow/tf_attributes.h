// The attributes of a node of a GraphDef, decoded when they are asked for.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "graphs/builder/shape.h"

namespace opyard::graphs {

// −1 for an extent that only a run knows; nothing where the rank is unknown.
using TfExtents = std::optional<Shape>;

// TensorProto without most of its content.
struct TfTensorContent {
  std::int64_t type = 0;  // DataType
  TfExtents extents;
  // All elements, if they are numbers and at most kMostTfElements.
  std::optional<std::vector<double>> elements;
};

// Constants with more elements are not followed.
inline constexpr std::size_t kMostTfElements = 1024;

// Key and value of attributes as they stand in the file, whose bytes live longer. Where an
// attribute is missing or of another kind, the fallback is given. All accessors throw
// protozero::exception for damaged data and InputError for shapes of more than 254 dimensions.
class TfAttributes {
 public:
  using Entry = std::pair<std::string_view, std::string_view>;
  // Decoded from AttrValue's function (NameAttrList).
  struct Function {
    std::string_view name;
    std::vector<Entry> attributes;
  };

  TfAttributes() = default;
  // A value that names a placeholder ("T" within a library function) is resolved in `bindings`,
  // which may be null and lives longer.
  TfAttributes(const std::vector<Entry>* entries, const TfAttributes* bindings)
      : entries_(entries), bindings_(bindings) {}

  [[nodiscard]] bool Has(std::string_view key) const { return Find(key).has_value(); }
  [[nodiscard]] std::int64_t Integer(std::string_view key, std::int64_t fallback) const;
  [[nodiscard]] bool Bool(std::string_view key, bool fallback) const;
  [[nodiscard]] std::string_view Text(std::string_view key) const;
  // DataType; 0 without one.
  [[nodiscard]] std::int64_t Type(std::string_view key) const;
  [[nodiscard]] TfExtents Extents(std::string_view key) const;
  [[nodiscard]] std::optional<TfTensorContent> Tensor(std::string_view key) const;
  // At most the first 65536 items.
  [[nodiscard]] std::vector<std::int64_t> Integers(std::string_view key) const;
  [[nodiscard]] std::vector<std::int64_t> Types(std::string_view key) const;
  [[nodiscard]] std::vector<TfExtents> ExtentsList(std::string_view key) const;
  [[nodiscard]] std::vector<std::string_view> Texts(std::string_view key) const;
  [[nodiscard]] std::optional<Function> FunctionNamed(std::string_view key) const;
  [[nodiscard]] std::vector<Function> Functions(std::string_view key) const;

 private:
  [[nodiscard]] std::optional<std::string_view> Find(std::string_view key) const;

  const std::vector<Entry>* entries_ = nullptr;
  const TfAttributes* bindings_ = nullptr;
};

// An entry of a map<string, AttrValue>.
[[nodiscard]] TfAttributes::Entry ReadTfAttribute(std::string_view entry);

// A TensorShapeProto.
[[nodiscard]] TfExtents ReadTfExtents(std::string_view message);

}  // namespace opyard::graphs
