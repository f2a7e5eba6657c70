// Recognises TensorFlow messages by their fields.
#pragma once

#include <optional>
#include <string_view>

#include "graphs/importers/tensorflow/proto_schema.h"

namespace opyard::graphs {

// Null where nothing decides: only names of nodes, or no message of TensorFlow at all.
[[nodiscard]] const ProtoMessage* FindTextMessage(std::string_view text);
[[nodiscard]] const ProtoMessage* FindWireMessage(std::string_view bytes);

// True if `text` begins as the text form does: comments, then a field and what it holds.
[[nodiscard]] bool BeginsAsProtoText(std::string_view text);

}  // namespace opyard::graphs
