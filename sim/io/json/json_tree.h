// JSON values in one flat array, and the parser that fills it: for small documents, or for one
// element at a time of a large array.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/base/error.h"

namespace opyard::sim {

enum class JsonKind : std::uint8_t {
  kNull,
  kBool,
  kInteger,     // fits int64
  kBigInteger,  // written as an integer, beyond int64
  kFloat,
  kString,
  kArray,
  kObject,
};

// A range of characters in JsonTree::text.
struct JsonText {
  std::uint32_t begin = 0;
  std::uint32_t size = 0;
};

struct JsonNode {
  JsonKind kind = JsonKind::kNull;
  bool has_nul = false;   // its text or its key holds NUL
  JsonText key;           // of a member of an object
  std::uint32_t end = 0;  // one past the last node below this one; children follow their parent
  union {
    std::int64_t integer = 0;  // kInteger, kBool
    double number;             // kFloat, kBigInteger
    JsonText text;             // kString
  };
};

struct JsonTree {
  std::vector<JsonNode> nodes;  // [0] is the root
  std::string text;

  [[nodiscard]] std::string_view View(JsonText range) const {
    return std::string_view(text).substr(range.begin, range.size);
  }
  void Clear() {
    nodes.clear();
    text.clear();
  }
};

// An array directly below the root whose elements are handed out one by one and not kept.
struct JsonStream {
  std::string key;
  // Takes the element and its index; returns false to stop parsing.
  std::function<bool(const JsonTree& element, std::size_t index)> on_element;
};

// Where a string, number, word or stretch of white space begins that is longer than 1 MiB: a parser
// would hold it several times in memory.
[[nodiscard]] std::optional<std::size_t> FindLongToken(std::string_view text);

// Parses one JSON text. The streamed array stays in the result as an empty array. Adds to
// `diagnostics` what ends the parse early: wrong syntax or trailing text ("`place`:LINE:COLUMN:
// …"), nesting beyond 32 levels, a string beyond 1 MiB, more than 16 Mi values outside of a stream
// or in one element. The tree is empty then. REQUIRES: EnsureUtf8(text).
[[nodiscard]] JsonTree ParseJson(std::string_view text,
                                 const std::string& place,
                                 Diagnostics& diagnostics,
                                 const JsonStream& stream = {});

}  // namespace opyard::sim
