#include "experiments/text/csv_reader.h"

#include <algorithm>

#include "sim/base/error.h"

namespace opyard::experiments {
namespace {

class CsvParser {
 public:
  CsvParser(std::string_view text, const std::string& place) : text_(text), place_(place) {}

  // The next row; nothing at the end.
  [[nodiscard]] bool Next(CsvRow& row) {
    while (at_ < text_.size() && IsLineEnd()) {
      SkipLineEnd();
    }
    if (at_ >= text_.size()) {
      return false;
    }
    row = {.line = line_, .fields = {ReadField()}};
    while (at_ < text_.size() && text_[at_] == ',') {
      ++at_;
      row.fields.push_back(ReadField());
    }
    SkipLineEnd();
    return true;
  }

 private:
  [[noreturn]] void Refuse(const std::string& message) const {
    throw InputError(place_ + ":" + std::to_string(line_) + ": " + message);
  }

  [[nodiscard]] bool IsLineEnd() const {
    return text_[at_] == '\n' || (text_[at_] == '\r' && text_.substr(at_ + 1).starts_with('\n'));
  }

  void SkipLineEnd() {
    if (at_ < text_.size()) {
      at_ += text_[at_] == '\r' ? 2 : 1;
      ++line_;
    }
  }

  void SkipBlanks() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t')) {
      ++at_;
    }
  }

  std::string ReadField() {
    SkipBlanks();
    if (at_ < text_.size() && text_[at_] == '"') {
      return ReadQuoted();
    }
    const std::size_t begin = at_;
    while (at_ < text_.size() && text_[at_] != ',' && !IsLineEnd()) {
      ++at_;
    }
    const std::string_view field = text_.substr(begin, at_ - begin);
    return std::string(field.substr(0, field.find_last_not_of(" \t") + 1));
  }

  // From the opening quote to behind the closing one; two quotes stand for one.
  std::string ReadQuoted() {
    std::string field;
    for (++at_; at_ < text_.size(); ++at_) {
      const bool is_quote = text_[at_] == '"';
      if (is_quote && !text_.substr(at_ + 1).starts_with('"')) {
        ++at_;
        SkipBlanks();
        if (at_ < text_.size() && text_[at_] != ',' && !IsLineEnd()) {
          Refuse("found text behind a closing quote, expected a comma or the line's end");
        }
        return field;
      }
      at_ += is_quote ? 1 : 0;
      line_ += text_[at_] == '\n' ? 1 : 0;
      field += text_[at_];
    }
    Refuse("a quote is not closed");
  }

  std::string_view text_;
  const std::string& place_;
  std::size_t at_ = 0;
  std::size_t line_ = 1;
};

}  // namespace

std::vector<CsvRow> ReadCsv(std::string_view text, const std::string& place) {
  CsvParser parser(text, place);
  std::vector<CsvRow> rows;
  CsvRow row;
  while (parser.Next(row)) {
    if (!rows.empty() && row.fields.size() != rows[0].fields.size()) {
      throw InputError(place + ":" + std::to_string(row.line) + ": found " +
                       std::to_string(row.fields.size()) + " fields, expected " +
                       std::to_string(rows[0].fields.size()));
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace opyard::experiments
