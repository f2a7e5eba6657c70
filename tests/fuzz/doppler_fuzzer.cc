// Any bytes are a graph or an Error for the importer of DOPPLER's graphs, and what was imported can
// be written and read again.
#include "tests/fuzz/import_fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  opyard::testing::ImportFuzzInput("doppler", data, size);
  return 0;
}
