#include "graphs/importers/tensorflow/tf_attributes.h"

#include <algorithm>

#include "graphs/importers/tensorflow/proto_wire.h"
#include "graphs/importers/tensorflow/tf_tensor_content.h"
#include "sim/base/error.h"

namespace opyard::graphs {
namespace {

using protozero::pbf_reader;
using protozero::tag_and_type;

// Fields of AttrValue, and of its ListValue but for the first.
constexpr protozero::pbf_tag_type kListField = 1;
constexpr protozero::pbf_tag_type kTextField = 2;
constexpr protozero::pbf_tag_type kIntegerField = 3;
constexpr protozero::pbf_tag_type kBoolField = 5;
constexpr protozero::pbf_tag_type kTypeField = 6;
constexpr protozero::pbf_tag_type kShapeField = 7;
constexpr protozero::pbf_tag_type kTensorField = 8;
constexpr protozero::pbf_tag_type kPlaceholderField = 9;
constexpr protozero::pbf_tag_type kFunctionInListField = 9;
constexpr protozero::pbf_tag_type kFunctionField = 10;

constexpr std::size_t kMostItems = 65'536;
constexpr std::size_t kLargestRank = 254;  // TensorFlow's own limit

// The last value of field `tag`, as Protocol Buffers have it.
std::optional<std::string_view> FindBytes(std::string_view message, protozero::pbf_tag_type tag) {
  std::optional<std::string_view> found;
  pbf_reader reader = Reader(message);
  while (reader.next()) {
    if (reader.tag() == tag && reader.wire_type() == kBytes) {
      found = View(reader.get_view());
    } else {
      reader.skip();
    }
  }
  return found;
}

std::optional<std::int64_t> FindVarint(std::string_view message, protozero::pbf_tag_type tag) {
  std::optional<std::int64_t> found;
  pbf_reader reader = Reader(message);
  while (reader.next()) {
    if (reader.tag() == tag && reader.wire_type() == kVarint) {
      found = reader.get_int64();
    } else {
      reader.skip();
    }
  }
  return found;
}

template <class Visit>
void ForEachBytes(std::string_view message, protozero::pbf_tag_type tag, const Visit& visit) {
  std::size_t count = 0;
  pbf_reader reader = Reader(message);
  while (reader.next()) {
    if (reader.tag() == tag && reader.wire_type() == kBytes && ++count <= kMostItems) {
      visit(View(reader.get_view()));
    } else {
      reader.skip();
    }
  }
}

// Packed or not.
std::vector<std::int64_t> Varints(std::string_view message, protozero::pbf_tag_type tag) {
  std::vector<std::int64_t> values;
  const auto add = [&values](std::int64_t value) {
    if (values.size() < kMostItems) {
      values.push_back(value);
    }
  };
  pbf_reader reader = Reader(message);
  while (reader.next()) {
    if (reader.tag_and_type() == tag_and_type(tag, kBytes)) {
      for (const std::int64_t value : reader.get_packed_int64()) {
        add(value);
      }
    } else if (reader.tag_and_type() == tag_and_type(tag, kVarint)) {
      add(reader.get_int64());
    } else {
      reader.skip();
    }
  }
  return values;
}

TfAttributes::Function ReadFunction(std::string_view message) {
  TfAttributes::Function function;
  function.name = FindBytes(message, 1).value_or("");
  ForEachBytes(message, 2, [&function](std::string_view entry) {
    function.attributes.push_back(ReadTfAttribute(entry));
  });
  return function;
}

}  // namespace

std::int64_t TfAttributes::Integer(std::string_view key, std::int64_t fallback) const {
  const auto value = Find(key);
  return value.has_value() ? FindVarint(*value, kIntegerField).value_or(fallback) : fallback;
}

bool TfAttributes::Bool(std::string_view key, bool fallback) const {
  const auto value = Find(key);
  return value.has_value() ? FindVarint(*value, kBoolField).value_or(0) != 0 : fallback;
}

std::string_view TfAttributes::Text(std::string_view key) const {
  const auto value = Find(key);
  return value.has_value() ? FindBytes(*value, kTextField).value_or("") : "";
}

std::int64_t TfAttributes::Type(std::string_view key) const {
  const auto value = Find(key);
  return value.has_value() ? FindVarint(*value, kTypeField).value_or(0) : 0;
}

TfExtents TfAttributes::Extents(std::string_view key) const {
  const auto value = Find(key);
  const auto shape = value.has_value() ? FindBytes(*value, kShapeField) : std::nullopt;
  return shape.has_value() ? ReadTfExtents(*shape) : std::nullopt;
}

std::optional<TfTensorContent> TfAttributes::Tensor(std::string_view key) const {
  const auto value = Find(key);
  const auto tensor = value.has_value() ? FindBytes(*value, kTensorField) : std::nullopt;
  return tensor.has_value() ? std::optional(ReadTfTensor(*tensor)) : std::nullopt;
}

std::vector<std::int64_t> TfAttributes::Integers(std::string_view key) const {
  const auto value = Find(key);
  const auto list = value.has_value() ? FindBytes(*value, kListField) : std::nullopt;
  return list.has_value() ? Varints(*list, kIntegerField) : std::vector<std::int64_t>();
}

std::vector<std::int64_t> TfAttributes::Types(std::string_view key) const {
  const auto value = Find(key);
  const auto list = value.has_value() ? FindBytes(*value, kListField) : std::nullopt;
  return list.has_value() ? Varints(*list, kTypeField) : std::vector<std::int64_t>();
}

std::vector<TfExtents> TfAttributes::ExtentsList(std::string_view key) const {
  std::vector<TfExtents> shapes;
  const auto value = Find(key);
  if (const auto list = value.has_value() ? FindBytes(*value, kListField) : std::nullopt) {
    ForEachBytes(*list, kShapeField, [&shapes](std::string_view message) {
      shapes.push_back(ReadTfExtents(message));
    });
  }
  return shapes;
}

std::vector<std::string_view> TfAttributes::Texts(std::string_view key) const {
  std::vector<std::string_view> texts;
  const auto value = Find(key);
  if (const auto list = value.has_value() ? FindBytes(*value, kListField) : std::nullopt) {
    ForEachBytes(*list, kTextField, [&texts](std::string_view text) { texts.push_back(text); });
  }
  return texts;
}

std::optional<TfAttributes::Function> TfAttributes::FunctionNamed(std::string_view key) const {
  const auto value = Find(key);
  const auto function = value.has_value() ? FindBytes(*value, kFunctionField) : std::nullopt;
  return function.has_value() ? std::optional(ReadFunction(*function)) : std::nullopt;
}

std::vector<TfAttributes::Function> TfAttributes::Functions(std::string_view key) const {
  std::vector<Function> functions;
  const auto value = Find(key);
  if (const auto list = value.has_value() ? FindBytes(*value, kListField) : std::nullopt) {
    ForEachBytes(*list, kFunctionInListField, [&functions](std::string_view message) {
      functions.push_back(ReadFunction(message));
    });
  }
  return functions;
}

std::optional<std::string_view> TfAttributes::Find(std::string_view key) const {
  const TfAttributes* scope = this;
  // As deep as calls are nested.
  while (scope != nullptr && scope->entries_ != nullptr) {
    const auto found = std::ranges::find(*scope->entries_, key, &Entry::first);
    if (found == scope->entries_->end()) {
      return std::nullopt;
    }
    const auto placeholder = FindBytes(found->second, kPlaceholderField);
    if (!placeholder.has_value()) {
      return found->second;
    }
    key = *placeholder;
    scope = scope->bindings_;
  }
  return std::nullopt;
}

TfAttributes::Entry ReadTfAttribute(std::string_view entry) {
  return {FindBytes(entry, 1).value_or(""), FindBytes(entry, 2).value_or("")};
}

TfExtents ReadTfExtents(std::string_view message) {
  Shape shape;
  bool has_unknown_rank = false;
  pbf_reader reader = Reader(message);
  while (reader.next()) {
    if (reader.tag_and_type() == tag_and_type(2, kBytes)) {
      if (shape.size() == kLargestRank) {
        throw InputError("found a shape of more than 254 dimensions, expected fewer");
      }
      shape.push_back(FindVarint(View(reader.get_view()), 1).value_or(0));
    } else if (reader.tag_and_type() == tag_and_type(3, kVarint)) {
      has_unknown_rank = reader.get_bool();
    } else {
      reader.skip();
    }
  }
  return has_unknown_rank ? std::nullopt : TfExtents(std::move(shape));
}

}  // namespace opyard::graphs
