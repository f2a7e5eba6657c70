// The fields of TensorFlow's messages that are read, for files in the text form.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace opyard::graphs {

enum class ProtoKind : std::uint8_t { kText, kInteger, kBool, kType, kFloat, kDouble, kMessage };

struct ProtoMessage;

struct ProtoField {
  std::string_view name;
  std::uint32_t number = 0;
  ProtoKind kind = ProtoKind::kText;
  const ProtoMessage* message = nullptr;  // of a kMessage
};

struct ProtoMessage {
  std::span<const ProtoField> fields;

  // Null for a field that nobody reads.
  [[nodiscard]] const ProtoField* Find(std::string_view name) const {
    for (const ProtoField& field : fields) {
      if (field.name == name) {
        return &field;
      }
    }
    return nullptr;
  }
};

extern const ProtoMessage kGraphDef;
extern const ProtoMessage kMetaGraphDef;
extern const ProtoMessage kSavedModel;
extern const ProtoMessage kCostGraphDef;
extern const ProtoMessage kRunMetadata;

}  // namespace opyard::graphs
