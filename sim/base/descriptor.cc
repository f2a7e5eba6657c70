#include "sim/base/descriptor.h"

#include <array>
#include <cerrno>
#include <charconv>
#include <string>
#include <string_view>
#include <utility>

#include <fcntl.h>
#include <unistd.h>

namespace opyard {
namespace {

constexpr auto kNamed = std::to_array<std::pair<std::string_view, int>>({
    {"/dev/stdin", STDIN_FILENO},
    {"/dev/stdout", STDOUT_FILENO},
    {"/dev/stderr", STDERR_FILENO},
});

std::optional<int> NumberIn(std::string_view digits) {
  int number = 0;
  const char* end = digits.data() + digits.size();
  const auto [stop, error] = std::from_chars(digits.data(), end, number);
  const bool is_number = error == std::errc() && stop == end && number >= 0;
  return is_number ? std::optional(number) : std::nullopt;
}

}  // namespace

Descriptor::~Descriptor() {
  static_cast<void>(Close());
}

Descriptor::Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}

Descriptor& Descriptor::operator=(Descriptor&& other) noexcept {
  std::swap(number_, other.number_);
  return *this;
}

int Descriptor::Close() {
  const int number = std::exchange(number_, -1);
  return number >= 0 && ::close(number) != 0 ? errno : 0;
}

std::optional<int> DescriptorNamed(const std::filesystem::path& path) {
  const std::string name = path.lexically_normal().string();
  for (const auto& [known, number] : kNamed) {
    if (name == known) {
      return number;
    }
  }
  for (const std::string_view folder : {"/dev/fd/", "/proc/self/fd/"}) {
    if (name.starts_with(folder)) {
      return NumberIn(std::string_view(name).substr(folder.size()));
    }
  }
  return std::nullopt;
}

Descriptor Duplicate(int number) {
  constexpr int kLeast = 3;  // never one of the standard streams, should one of them be closed
  return Descriptor(::fcntl(number, F_DUPFD_CLOEXEC, kLeast));
}

}  // namespace opyard
