#include "experiments/store/folder_name.h"

#include <string_view>

#include "experiments/store/sha256.h"

namespace opyard::experiments {

std::string FolderName(const std::string& label) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.=,[]";
  std::string name;
  for (const char c : label) {
    name += kPlain.find(c) == std::string_view::npos ? '_' : c;
  }
  const bool is_plain = name == label && !label.empty() && !label.starts_with('.');
  return is_plain ? name : "_" + name + "-" + Sha256(label).substr(0, 8);
}

}  // namespace opyard::experiments
