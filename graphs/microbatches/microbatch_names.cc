#include "graphs/microbatches/microbatch_names.h"

#include <charconv>

namespace opyard::graphs {
namespace {

constexpr std::string_view kSuffix = "@mb";

}  // namespace

std::string NameInMicrobatch(std::string_view name, std::int32_t microbatch) {
  return std::string(name) + std::string(kSuffix) + std::to_string(microbatch);
}

std::optional<std::int32_t> FindMicrobatch(std::string_view name) {
  const std::size_t at = name.rfind(kSuffix);
  if (at == std::string_view::npos) {
    return std::nullopt;
  }
  const std::string_view digits = name.substr(at + kSuffix.size());
  std::int32_t microbatch = -1;
  const auto [end, error] =
      std::from_chars(digits.data(), digits.data() + digits.size(), microbatch);
  const bool is_number = error == std::errc() && end == digits.data() + digits.size();
  return is_number && microbatch >= 0 ? std::optional(microbatch) : std::nullopt;
}

std::string_view NameOfAllMicrobatches(std::string_view name) {
  return FindMicrobatch(name).has_value() ? name.substr(0, name.rfind(kSuffix)) : name;
}

}  // namespace opyard::graphs
