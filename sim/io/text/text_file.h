// Whole text files, plain or gzip: read under a size limit, written whole.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <ostream>
#include <string>
#include <string_view>

namespace opyard::sim {

// No file may be larger, nor unpack to more.
inline constexpr std::size_t kLargestTextBytes = std::size_t{512} << 20U;

// The text that `path` gives (ReadInputFile: a file, a pipe, a device; "-" is standard input),
// unpacked if it is gzip (known by its first bytes; a name in .gz demands it). Throws InputError
// naming `path`: nothing there, a folder, no right to read it, too large, a gzip that is cut short,
// damaged or followed by something else, and what EnsureUtf8 refuses.
[[nodiscard]] std::string ReadTextFile(const std::filesystem::path& path);

// The same for any bytes: not checked to be text.
[[nodiscard]] std::string ReadBinaryFile(const std::filesystem::path& path);

// Throws InputError "`place`:LINE:COLUMN: …" for what FindTextFlaw finds. Columns count bytes.
void EnsureUtf8(std::string_view text, const std::string& place);

// Writes `text`, packed if `path` ends in .gz, to where `path` leads, as WriteOutputFile does.
// Throws InputError naming `path`.
void WriteTextFile(const std::filesystem::path& path, std::string_view text);
// The same for what `write` puts out, which is held in memory only where it is packed. `write` may
// be called twice.
void WriteTextFile(const std::filesystem::path& path,
                   const std::function<void(std::ostream&)>& write);

// "LINE:COLUMN" of byte `offset` of `text`, both from 1; columns count bytes.
[[nodiscard]] std::string LineAndColumn(std::string_view text, std::size_t offset);

}  // namespace opyard::sim
