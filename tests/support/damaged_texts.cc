#include "tests/support/damaged_texts.h"

#include <cstdint>
#include <string_view>

#include "sim/base/error.h"
#include "sim/base/rng.h"

namespace opyard::testing {
namespace {

std::size_t Position(const std::string& text, Rng& rng) {
  return static_cast<std::size_t>(rng.Below(text.size()));
}

// One edit: another byte, a missing range, a repeated range, or a character that JSON and YAML
// give a meaning.
void Mutate(std::string& text, Rng& rng) {
  constexpr std::string_view kTelling = "{}[]\",:-+.eE0123456789tfn\\ \n&*#|>";
  const std::size_t at = Position(text, rng);
  const auto length = static_cast<std::size_t>(rng.Below(20));
  switch (rng.Below(4)) {
    case 0:
      text[at] = static_cast<char>(rng.Below(256));
      break;
    case 1:
      text.erase(at, length);
      break;
    case 2:
      text.insert(Position(text, rng), text.substr(at, length));
      break;
    default:
      text[at] = kTelling[rng.Below(kTelling.size())];
  }
}

}  // namespace

int CountRefused(const std::string& original, const std::function<void(const std::string&)>& read) {
  int num_refused = 0;
  Rng rng(7);
  for (int i = 0; i < kDamagedFiles; ++i) {
    std::string text = original;
    for (std::uint64_t edit = rng.Below(4) + 1; edit > 0 && !text.empty(); --edit) {
      Mutate(text, rng);
    }
    try {
      read(text);
    } catch (const InputError&) {
      ++num_refused;
    }
  }
  return num_refused;
}

}  // namespace opyard::testing
