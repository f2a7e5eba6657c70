// Open descriptors of the process: owned ones, and those that a path names.
#pragma once

#include <filesystem>
#include <optional>

namespace opyard {

// Closes what it owns.
class Descriptor {
 public:
  // Takes over `number`, which is negative if opening it failed.
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor();
  Descriptor(Descriptor&& other) noexcept;
  Descriptor& operator=(Descriptor&& other) noexcept;
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  [[nodiscard]] bool is_open() const { return number_ >= 0; }
  [[nodiscard]] int number() const { return number_; }
  // Returns the error number of what was written and could not be kept, else 0.
  [[nodiscard]] int Close();

 private:
  int number_;
};

// The descriptor that `path` names: /dev/stdin, /dev/stdout, /dev/stderr, /dev/fd/N or
// /proc/self/fd/N. Opening such a path again would begin a redirected file anew, and fails on
// sockets.
[[nodiscard]] std::optional<int> DescriptorNamed(const std::filesystem::path& path);

// A second descriptor of what `number` stands for.
[[nodiscard]] Descriptor Duplicate(int number);

}  // namespace opyard
