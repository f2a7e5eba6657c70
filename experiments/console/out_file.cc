#include "experiments/console/out_file.h"

#include <utility>

#include "sim/base/error.h"
#include "sim/base/output_file.h"
#include "sim/io/text/text_file.h"

namespace opyard::experiments {

OutFile::OutFile(std::string path, const Console& console)
    : path_(std::move(path)), is_standard_output_(IsStandardOutput(path_)), console_(console) {}

std::string OutFile::name() const {
  return is_standard_output_ ? "standard output" : path_;
}

std::ostream& OutFile::text() const {
  return is_standard_output_ ? console_.err : console_.out;
}

bool OutFile::text_is_terminal() const {
  return is_standard_output_ ? console_.err_is_terminal : console_.out_is_terminal;
}

void OutFile::RefuseJson(const std::string& option) const {
  if (is_standard_output_) {
    throw InputError(option + " " + path_ +
                     ": --json prints to standard output, too; expected the name of a file, or no "
                     "--json");
  }
}

void OutFile::Write(std::string_view text) const {
  Write([text](std::ostream& out) { out << text; });
}

void OutFile::Write(const std::function<void(std::ostream&)>& write) const {
  if (is_standard_output_) {
    write(console_.out);
  } else {
    sim::WriteTextFile(path_, write);
  }
}

}  // namespace opyard::experiments
