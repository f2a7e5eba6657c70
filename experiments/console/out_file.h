// The file that a subcommand was asked to write: --out, --trace.
#pragma once

#include <functional>
#include <ostream>
#include <string>
#include <string_view>

#include "experiments/console/console.h"

namespace opyard::experiments {

// "-" (or /dev/stdout) is standard output; the text of the subcommand then goes to standard error,
// so that the two do not mix.
class OutFile {
 public:
  // `console` outlives this.
  OutFile(std::string path, const Console& console);

  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] bool is_standard_output() const { return is_standard_output_; }

  // The name in messages: the path, or "standard output".
  [[nodiscard]] std::string name() const;

  // The stream for the subcommand's text.
  [[nodiscard]] std::ostream& text() const;
  [[nodiscard]] bool text_is_terminal() const;

  // Throws InputError naming `option` if the file takes standard output, which JSON is printed to.
  void RefuseJson(const std::string& option) const;

  // Packed if the path ends in .gz. Throws InputError if it cannot be written; what standard output
  // does not take shows when the command ends.
  void Write(std::string_view text) const;
  void Write(const std::function<void(std::ostream&)>& write) const;

 private:
  std::string path_;
  bool is_standard_output_;
  const Console& console_;
};

}  // namespace opyard::experiments
