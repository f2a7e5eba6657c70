#include "graphs/importers/hlo/hlo_type.h"

#include <algorithm>
#include <charconv>

#include "graphs/importers/common/dtype_names.h"
#include "sim/base/error.h"
#include "sim/base/quote.h"

namespace opyard::graphs {
namespace {

using Problem = std::optional<HloTypeProblem>;

constexpr std::int64_t kLargestExtent = std::int64_t{1} << 31;
constexpr std::size_t kDeepestTuple = 32;
constexpr std::size_t kLargestRank = 64;

bool HasNoElements(std::string_view name) {
  return name == "token" || name == "opaque";
}

class TypeReader {
 public:
  TypeReader(HloScanner& scanner, const HloTypeOptions& options, HloType& type)
      : scanner_(scanner), options_(options), type_(type) {}

  Problem Take(std::size_t depth) {
    if (scanner_.Peek() == '(') {
      return TakeTuple(depth);
    }
    const std::string_view line = scanner_.RestOfLine();
    const std::string_view name = scanner_.TakeWord();
    if (name == "b" && scanner_.Peek() == '(') {  // a buffer: b(f32[2])
      return TakeBuffer(depth);
    }
    const auto extents = scanner_.Peek() == '[' ? scanner_.TakeBrackets() : std::nullopt;
    if (name.empty() || !extents.has_value()) {
      return HloTypeProblem{Quoted(line), "a shape like f32[2,3]"};
    }
    scanner_.TakeLayout();
    return AddTensor(name, extents->substr(1, extents->size() - 2));
  }

 private:
  Problem TakeTuple(std::size_t depth) {
    if (depth == kDeepestTuple) {
      return HloTypeProblem{"tuples nested beyond 32 levels", "fewer"};
    }
    static_cast<void>(scanner_.Take("("));
    while (!scanner_.Take(")")) {
      if (type_.tensors.size() + type_.elements.size() >= options_.most_tensors) {
        return HloTypeProblem{"an instruction with too many operands and results",
                              "at most " + std::to_string(options_.most_tensors)};
      }
      if (depth == 0) {
        type_.elements.push_back(type_.tensors.size());
      }
      if (Problem problem = Take(depth + 1)) {
        return problem;
      }
      if (!scanner_.Take(",") && scanner_.Peek() != ')') {
        return HloTypeProblem{Quoted(scanner_.RestOfLine()), "the end of a tuple's shape"};
      }
    }
    return std::nullopt;
  }

  Problem TakeBuffer(std::size_t depth) {
    static_cast<void>(scanner_.Take("("));
    if (Problem problem = depth < kDeepestTuple ? Take(depth + 1) : std::nullopt) {
      return problem;
    }
    return scanner_.Take(")") ? std::nullopt
                              : Problem(HloTypeProblem{Quoted(scanner_.RestOfLine()),
                                                       "the end of a buffer's shape"});
  }

  Problem AddTensor(std::string_view name, std::string_view extents) {
    const std::optional<sim::DType> dtype = DTypeNamed(name);
    if (!dtype.has_value() && !HasNoElements(name)) {
      return HloTypeProblem{"the element type " + Quoted(name), "one of HLO, like f32 or s4"};
    }
    TensorType tensor{.shape = {}, .dtype = dtype.value_or(sim::DType::kOther)};
    if (HasNoElements(name)) {
      tensor.shape = {0};
    } else if (Problem problem = ReadExtents(name, extents, tensor.shape)) {
      return problem;
    }
    try {
      static_cast<void>(BytesOf(tensor));
    } catch (const InputError&) {
      return HloTypeProblem{"a shape of more bytes than int64 holds", "a smaller one"};
    }
    type_.tensors.push_back(std::move(tensor));
    return std::nullopt;
  }

  Problem ReadExtents(std::string_view name, std::string_view text, Shape& shape) {
    HloScanner scanner(text);
    while (!scanner.AtEnd()) {
      const bool is_bound = scanner.Take("<=");
      type_.has_bounds = type_.has_bounds || is_bound;
      const std::string_view word = scanner.TakeWord();
      static_cast<void>(scanner.Take(","));
      type_.has_unknown = type_.has_unknown || word == "?";
      if (word == "?" && !options_.unknown_extent.has_value()) {
        return HloTypeProblem{std::string(name) + "[" + std::string(text) + "]", "?"};
      }
      std::int64_t extent = word == "?" ? *options_.unknown_extent : -1;
      if (word != "?") {
        const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), extent);
        extent = error == std::errc() && end == word.data() + word.size() ? extent : -1;
      }
      if (extent < 0 || extent > kLargestExtent) {
        return HloTypeProblem{"the extent " + Quoted(word.empty() ? scanner.RestOfLine() : word),
                              "0 to 2147483648"};
      }
      if (shape.size() == kLargestRank) {
        return HloTypeProblem{"a shape of more than 64 dimensions", "fewer"};
      }
      shape.push_back(extent);
    }
    return std::nullopt;
  }

  HloScanner& scanner_;
  const HloTypeOptions& options_;
  HloType& type_;
};

// The number of tensors of the type that comes next in `scanner`. Not recursive: brackets of
// extents and layouts hold no types. REQUIRES: a type comes next.
std::size_t SkipType(HloScanner& scanner) {
  if (scanner.Peek() != '(') {
    static_cast<void>(scanner.TakeWord());
    static_cast<void>(scanner.TakeBrackets());  // extents, or what a buffer holds
    scanner.TakeLayout();
    return 1;
  }
  std::size_t count = 0;
  std::size_t depth = 0;
  do {
    if (scanner.Take("(")) {
      ++depth;
    } else if (scanner.Take(")")) {
      --depth;
    } else if (!scanner.Take(",")) {
      count += SkipType(scanner);
    }
  } while (depth > 0 && !scanner.AtEnd());
  return count;
}

}  // namespace

std::optional<HloTypeProblem> TakeType(HloScanner& scanner,
                                       const HloTypeOptions& options,
                                       HloType& type) {
  type.is_tuple = scanner.Peek() == '(';
  return TypeReader(scanner, options, type).Take(0);
}

std::optional<TensorRange> TensorsOfElement(const HloType& type, std::size_t index) {
  if (index >= type.elements.size()) {
    return std::nullopt;
  }
  const std::size_t first = type.elements[index];
  const bool is_last = index + 1 == type.elements.size();
  return TensorRange{first, (is_last ? type.tensors.size() : type.elements[index + 1]) - first};
}

std::optional<TensorRange> TensorsAt(const HloType& type, std::span<const std::int64_t> path) {
  TensorRange range{0, type.tensors.size()};
  HloScanner scanner(type.text);
  for (const std::int64_t index : path) {
    if (index < 0 || !scanner.Take("(")) {
      return std::nullopt;
    }
    for (std::int64_t i = 0; i < index; ++i) {
      if (scanner.AtEnd() || scanner.Peek() == ')') {
        return std::nullopt;
      }
      range.first += SkipType(scanner);
      static_cast<void>(scanner.Take(","));
    }
    if (scanner.Peek() == ')') {
      return std::nullopt;
    }
    HloScanner element = scanner;
    range.count = SkipType(element);
  }
  return range;
}

}  // namespace opyard::graphs
