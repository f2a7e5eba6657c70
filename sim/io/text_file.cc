#include "sim/io/text_file.h"

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <optional>
#include <sstream>
#include <system_error>

#include <unistd.h>

#include "sim/base/error.h"
#include "sim/io/utf8.h"

namespace opyard::sim {
namespace {

namespace fs = std::filesystem;

std::string ReasonOf(int error_number) {
  return std::generic_category().message(error_number);
}

void EnsureIsReadable(const fs::path& path) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (!fs::exists(status)) {
    throw InputError(path.string() + ": found nothing here, expected a file" +
                     (error && error != std::errc::no_such_file_or_directory
                          ? " (" + error.message() + ")"
                          : ""));
  }
  if (!fs::is_regular_file(status)) {
    throw InputError(path.string() + (fs::is_directory(status)
                                          ? ": found a folder, expected a file"
                                          : ": found a device or pipe, expected a file"));
  }
  const std::uintmax_t size = fs::file_size(path, error);
  if (!error && size > kLargestTextBytes) {
    throw InputError(path.string() + ": found " + std::to_string(size) +
                     " bytes, expected at most 512 MiB");
  }
}

std::string ReadBytes(const fs::path& path) {
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  if (!file) {
    throw InputError(path.string() + ": cannot be read: " + ReasonOf(errno));
  }
  std::string bytes(static_cast<std::size_t>(std::max<std::streamoff>(file.tellg(), 0)), '\0');
  file.seekg(0);
  file.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  if (!file) {
    throw InputError(path.string() + ": cannot be read to its end");
  }
  return bytes;
}

bool IsGzip(std::string_view bytes) {
  return bytes.starts_with("\x1f\x8b");
}

// A name for the temporary file that nothing has yet.
fs::path FreeNameBeside(const fs::path& path) {
  for (int attempt = 0;; ++attempt) {
    fs::path candidate = path;
    candidate += ".part" + std::to_string(::getpid()) + "-" + std::to_string(attempt);
    if (!fs::exists(candidate)) {
      return candidate;
    }
  }
}

}  // namespace

std::string ReadTextFile(const fs::path& path) {
  std::string text = ReadBinaryFile(path);
  EnsureUtf8(text, path.string());
  return text;
}

std::string ReadBinaryFile(const fs::path& path) {
  EnsureIsReadable(path);
  std::string bytes = ReadBytes(path);
  const bool is_gzip = IsGzip(bytes);
  if (!is_gzip && path.extension() == ".gz") {
    throw InputError(path.string() + ": found no gzip data, expected them from the name");
  }
  return is_gzip ? Gunzip(bytes, path.string()) : bytes;
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
  const fs::path part = FreeNameBeside(path);
  std::ofstream file(part, std::ios::binary);
  if (path.extension() == ".gz") {
    std::ostringstream text;
    write(text);
    file << Gzip(text.view());
  } else {
    write(file);
  }
  file.close();
  std::error_code error;
  if (!file) {
    const std::string reason = ReasonOf(errno);
    fs::remove(part, error);
    throw InputError(path.string() + ": cannot be written: " + reason);
  }
  fs::rename(part, path, error);
  if (error) {
    const std::string reason = error.message();
    fs::remove(part, error);
    throw InputError(path.string() + ": cannot be written: " + reason);
  }
}

std::string LineAndColumn(std::string_view text, std::size_t offset) {
  const std::string_view before = text.substr(0, offset);
  const auto line = std::ranges::count(before, '\n') + 1;
  const std::size_t line_start = before.rfind('\n') + 1;  // npos + 1 is 0
  return std::to_string(line) + ":" + std::to_string(before.size() - line_start + 1);
}

}  // namespace opyard::sim
