// Shared libraries as files (ELF), looked at before and after the system's loader takes them.
#pragma once

#include <string>
#include <string_view>

namespace opyard::experiments {

// Why `bytes` are no shared library that this machine's loader can be trusted with; "" if they are
// one. One that was cut short would end the process: it is looked at whether all is there that the
// loader maps.
[[nodiscard]] std::string FindLibraryFlaw(std::string_view bytes);

// True if `library`, a handle of the loader, holds the file `bytes`, as far as the loader leaves it
// unchanged: the segments that are only read. A loader that is given a path again answers with what
// it has, whatever the file has become. REQUIRES: FindLibraryFlaw(bytes) is "".
[[nodiscard]] bool IsLoadedFrom(void* library, std::string_view bytes);

}  // namespace opyard::experiments
