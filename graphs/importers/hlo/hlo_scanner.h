// Walks over HLO text, in which line ends are blanks and brackets and quotes belong together.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace opyard::graphs {

// key=value; of a value in braces, the braces are part of it.
struct HloAttribute {
  std::string_view key;
  std::string_view value;
};

// A place in a text. Blanks are blanks, tabs, line ends, "// …" and "/* … */". Each function passes
// over blanks first.
class HloScanner {
 public:
  explicit HloScanner(std::string_view text, std::size_t at = 0) : text_(text), at_(at) {}

  // The next character; '\0' at the end.
  [[nodiscard]] char Peek();
  [[nodiscard]] bool AtEnd() { return Peek() == '\0' && at_ >= text_.size(); }
  // Takes `token` if it stands here.
  bool Take(std::string_view token);
  // Takes what stands up to a blank, a comma or a bracket, or to one of `ends`.
  std::string_view TakeWord(std::string_view ends = {});
  // Takes a bracket and all up to the one that closes it, both included. Nothing, and the scanner
  // stays, if none opens here or none closes it.
  std::optional<std::string_view> TakeBrackets();
  // Takes braces that stand here without a blank before them: the body of a computation has one.
  void TakeLayout();
  // Takes the next key=value, after commas and words without a value; nothing at the end.
  std::optional<HloAttribute> TakeAttribute();
  // The place where the value of an attribute that begins here ends: at a comma, a blank or a
  // bracket that closes what holds it.
  [[nodiscard]] std::size_t EndOfValue() const;
  // The text up to the end of the line, without the blanks around it.
  [[nodiscard]] std::string_view RestOfLine();
  void SkipLine();
  [[nodiscard]] std::size_t at() const { return at_; }

 private:
  // The length of the blank or comment at `at`; 0 if there is none.
  [[nodiscard]] std::size_t BlankLength(std::size_t at) const;

  std::string_view text_;
  std::size_t at_;
};

// The place of the bracket that closes the one at `open`, quotes and comments passed over; npos if
// none does.
[[nodiscard]] std::size_t FindClosing(std::string_view text, std::size_t open);

// The value of `key` in "…, key=value, …" or in "{key=value …}". Nothing if it is not there.
[[nodiscard]] std::optional<std::string_view> FindAttribute(std::string_view attributes,
                                                            std::string_view key);

// Without the quotes around it, if it has any.
[[nodiscard]] std::string_view WithoutQuotes(std::string_view text);
[[nodiscard]] std::string_view WithoutPercent(std::string_view name);

// The integers of "{0,1}", "2x2" or "7"; of pads like "1_1x0_2" all four. The first 4096 of them;
// -1 for one that int64 does not hold.
[[nodiscard]] std::vector<std::int64_t> IntegersOf(std::string_view text);

// The text of the member `name` of a JSON object, at whatever depth, brackets included; also where
// the object stands in a quoted text, so that its quotes are \". Nothing if it is not there.
[[nodiscard]] std::optional<std::string_view> FindJsonMember(std::string_view json,
                                                             std::string_view name);

}  // namespace opyard::graphs
