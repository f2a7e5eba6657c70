// Writes what the user asked for to where a path leads.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <ostream>
#include <string>

namespace opyard {

// Puts what `write` writes where `path` leads. Throws InputError naming `path`.
//
// - A regular file, and one that is not there yet, is written to a temporary file beside it, which
//   is renamed: readers see the old file or the new one, never a part. Symbolic links are followed.
//   The file keeps its mode and owner; one without the right to write is refused. Where no file can
//   be put beside it, renamed onto it (it is a mount) or given to its owner, it is overwritten in
//   place; `write` may be called again for that.
// - What is not regular (a device, a FIFO, a terminal) is written through. Blocks while a FIFO has
//   no reader. Folders and sockets are refused.
// - "-" is standard output; a path that names a descriptor (DescriptorNamed) goes to that.
void WriteOutputFile(const std::filesystem::path& path,
                     const std::function<void(std::ostream&)>& write);

// Why nothing can be written to `path`, as far as it shows beforehand: a check before long work.
[[nodiscard]] std::optional<std::string> FindOutputProblem(const std::filesystem::path& path);

// True for "-" and the paths of descriptor 1.
[[nodiscard]] bool IsStandardOutput(const std::filesystem::path& path);

}  // namespace opyard
