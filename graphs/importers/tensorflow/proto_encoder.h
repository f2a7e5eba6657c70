// Turns the text form of a message into its wire format.
#pragma once

#include <string>
#include <string_view>

#include "graphs/importers/tensorflow/proto_schema.h"

namespace opyard::graphs {

// Fields that `message` does not know are left out. Throws InputError "`place`:LINE:COLUMN: …" for
// what is no such message, unknown element types, and messages within messages beyond 64.
[[nodiscard]] std::string EncodeProtoText(std::string_view text,
                                          const ProtoMessage& message,
                                          const std::string& place);

}  // namespace opyard::graphs
