// Names for protozero's readers of messages in Protocol Buffers' wire format.
#pragma once

#include <string_view>

#include <protozero/pbf_reader.hpp>

namespace opyard::graphs {

inline constexpr auto kBytes = protozero::pbf_wire_type::length_delimited;
inline constexpr auto kVarint = protozero::pbf_wire_type::varint;

[[nodiscard]] inline std::string_view View(const protozero::data_view& view) {
  return {view.data(), view.size()};
}

[[nodiscard]] inline protozero::pbf_reader Reader(std::string_view bytes) {
  return {bytes.data(), bytes.size()};
}

}  // namespace opyard::graphs
