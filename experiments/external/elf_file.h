// Shared libraries as files (ELF), checked before and after the system's loader takes them.
#pragma once

#include <string>
#include <string_view>

namespace opyard::experiments {

// The reason why `bytes` are no shared library that this machine's loader can be trusted with; ""
// if they are one. A library that was cut short would end the process, so all that the loader maps
// has to be there.
[[nodiscard]] std::string FindLibraryFlaw(std::string_view bytes);

// True if `library`, a handle of the loader, holds the file `bytes`, as far as the loader leaves it
// unchanged: the segments that are only read. A loader that is given a path again answers with what
// it has, whatever the file has become. REQUIRES: FindLibraryFlaw(bytes) is "".
[[nodiscard]] bool IsLoadedFrom(void* library, std::string_view bytes);

}  // namespace opyard::experiments
