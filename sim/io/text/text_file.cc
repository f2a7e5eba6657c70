#include "sim/io/text/text_file.h"

#include <algorithm>
#include <optional>
#include <sstream>
#include <utility>

#include "sim/base/error.h"
#include "sim/base/input_file.h"
#include "sim/base/output_file.h"
#include "sim/io/text/gzip.h"
#include "sim/io/text/utf8.h"

namespace opyard::sim {
namespace {

namespace fs = std::filesystem;

bool IsGzip(std::string_view bytes) {
  return bytes.starts_with("\x1f\x8b");
}

}  // namespace

std::string ReadTextFile(const fs::path& path) {
  std::string text = ReadBinaryFile(path);
  EnsureUtf8(text, InputName(path));
  return text;
}

std::string ReadBinaryFile(const fs::path& path) {
  InputBytes input = ReadInputFile(path, kLargestTextBytes);
  if (!input.problem.empty()) {
    throw InputError(InputName(path) + ": " + input.problem);
  }
  const bool is_gzip = IsGzip(input.bytes);
  if (!is_gzip && path.extension() == ".gz") {
    throw InputError(path.string() + ": found no gzip data, expected them from the name");
  }
  return is_gzip ? Gunzip(input.bytes, InputName(path)) : std::move(input.bytes);
}

void EnsureUtf8(std::string_view text, const std::string& place) {
  if (const std::optional<TextFlaw> flaw = FindTextFlaw(text)) {
    throw InputError(place + ":" + std::to_string(flaw->line) + ":" + std::to_string(flaw->column) +
                     ": found " + flaw->what + ", expected UTF-8 text");
  }
}

void WriteTextFile(const fs::path& path, std::string_view text) {
  WriteTextFile(path, [text](std::ostream& out) { out << text; });
}

void WriteTextFile(const fs::path& path, const std::function<void(std::ostream&)>& write) {
  if (path.extension() != ".gz") {
    WriteOutputFile(path, write);
    return;
  }
  std::ostringstream text;
  write(text);
  const std::string packed = Gzip(text.view());
  WriteOutputFile(path, [&packed](std::ostream& out) { out << packed; });
}

std::string LineAndColumn(std::string_view text, std::size_t offset) {
  const std::string_view before = text.substr(0, offset);
  const auto line = std::ranges::count(before, '\n') + 1;
  const std::size_t line_start = before.rfind('\n') + 1;  // npos + 1 is 0
  return std::to_string(line) + ":" + std::to_string(before.size() - line_start + 1);
}

}  // namespace opyard::sim
