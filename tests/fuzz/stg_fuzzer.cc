// Any bytes are a graph or an Error for the importer of the Standard Task Graph Set, and what was
// imported can be written and read again.
#include "tests/fuzz/import_fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  opyard::testing::ImportFuzzInput("stg", data, size);
  return 0;
}
