#include "experiments/external/plugin_library.h"

#include <system_error>
#include <utility>

#include <dlfcn.h>

#include "experiments/external/elf_file.h"
#include "experiments/store/sha256.h"
#include "sim/base/error.h"
#include "sim/base/input_file.h"
#include "sim/base/quote.h"
#include "sim/io/text/utf8.h"

// In every copy of libopyard, at another address in each.
extern "C" [[gnu::visibility("default")]] const char opyard_library_copy;
const char opyard_library_copy = 0;

namespace opyard::experiments {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLargestPlugin = std::size_t{4} << 30;
constexpr const char* kSymbol = "opyard_plugin";
constexpr std::size_t kLongestReason = 400;

[[noreturn]] void Refuse(const std::string& why) {
  throw InputError(why);
}

std::string ReadLibrary(const fs::path& file) {
  std::error_code error;
  const fs::file_status status = fs::status(file, error);
  if (!fs::exists(status)) {
    Refuse("there is no such file");
  }
  if (fs::is_directory(status)) {
    Refuse("found a folder, expected a shared library");
  }
  if (!fs::is_regular_file(status)) {
    Refuse("found a pipe or a device, expected a shared library");
  }
  InputBytes input = ReadInputFile(file, kLargestPlugin);
  if (!input.problem.empty()) {
    Refuse(input.problem);
  }
  if (const std::string flaw = FindLibraryFlaw(input.bytes); !flaw.empty()) {
    Refuse(flaw);
  }
  return std::move(input.bytes);
}

// Why the last call of the loader failed, without the path of the file.
std::string LoaderError(const fs::path& file) {
  const char* const error = dlerror();
  std::string text = error == nullptr ? "unknown" : error;
  const std::string prefix = file.string() + ": ";
  if (text.starts_with(prefix)) {
    text.erase(0, prefix.size());
  }
  return sim::ShownText(text, kLongestReason);
}

const char* MendText() {
  return "; build it against this opyard: find_package(opyard), opyard::opyard";
}

const agents::Plugin* DeclarationOf(decltype(&opyard_plugin) declare) {
  try {
    return declare();
  } catch (...) {
    Refuse(std::string(kSymbol) + "() threw an exception");
  }
}

// Reads only the fields that are compared: behind them, a plugin of another opyard may have another
// layout.
void CheckDeclaration(const agents::Plugin* plugin) {
  if (plugin == nullptr) {
    Refuse(std::string(kSymbol) + "() returned nothing");
  }
  if (plugin->abi != agents::kPluginAbi) {
    Refuse("found a plugin of ABI " + std::to_string(plugin->abi) + ", expected ABI " +
           std::to_string(agents::kPluginAbi) + MendText());
  }
  const std::string version = plugin->version == nullptr ? "" : plugin->version;
  if (version != kVersion) {
    Refuse("found a plugin for opyard " + Quoted(version) + ", expected one for \"" + kVersion +
           "\"" + MendText());
  }
  if (plugin->entry_bytes != sizeof(agents::AgentEntry)) {
    Refuse(
        "found a plugin built with another standard library or other settings of it, expected "
        "those of this opyard (compiler " __VERSION__ ")");
  }
  if (plugin->agents == nullptr) {
    Refuse("its plugin says nothing of agents: the field `agents` is empty");
  }
}

}  // namespace

PluginLibrary LoadPlugin(const fs::path& file) {
  std::error_code error;
  const fs::path path = fs::absolute(file, error);  // dlopen searches elsewhere for a bare name
  const std::string bytes = ReadLibrary(path);
  void* const library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    Refuse("cannot be loaded: " + LoaderError(path) + MendText());
  }
  if (!IsLoadedFrom(library, bytes)) {  // the digest is to be that of the code which runs
    Refuse("the file is another one than this process has loaded; start a new process");
  }
  const void* const copy = dlsym(library, "opyard_library_copy");
  if (copy != nullptr && copy != &opyard_library_copy) {
    Refuse(
        "it brings a libopyard of its own, expected the one that runs; link it to the shared "
        "library libopyard.so");
  }
  const auto declare = reinterpret_cast<decltype(&opyard_plugin)>(dlsym(library, kSymbol));
  if (declare == nullptr) {
    Refuse(std::string("it exports no ") + kSymbol +
           "(), expected the function that agents/base/plugin.h declares");
  }
  const agents::Plugin* const plugin = DeclarationOf(declare);
  CheckDeclaration(plugin);
  return {.plugin = plugin, .sha256 = Sha256(bytes)};
}

}  // namespace opyard::experiments
