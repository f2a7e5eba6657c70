// One shared library that is to be a plugin: checked, loaded, and asked for its declaration.
#pragma once

#include <filesystem>
#include <string>

#include "agents/base/plugin.h"

namespace opyard::experiments {

struct PluginLibrary {
  const agents::Plugin* plugin = nullptr;  // fits this opyard; lives as long as the process
  std::string sha256;                      // of the file
};

// Throws InputError, one line without the file's name, if `file` is not there, is no shared library
// of this machine that is whole, or cannot be loaded. Also throws if it exports no plugin, brings
// an opyard of its own, or was built for another one. Nothing of it has then run but what runs when
// it is loaded and, at most, the function that returns its declaration. A library is never
// unloaded: what agents leave behind may point into it.
[[nodiscard]] PluginLibrary LoadPlugin(const std::filesystem::path& file);

}  // namespace opyard::experiments
