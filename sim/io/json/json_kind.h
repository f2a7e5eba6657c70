// Recognises JSON files that were given in the place of others.
#pragma once

#include <string>
#include <string_view>

namespace opyard::sim {

// The kind of file that was wanted, for the message.
struct WantedJson {
  std::string_view what;      // "a plan (opyard-plan/1)"
  std::string_view family;    // what its "format" begins with, "opyard-plan/"; empty: it has none
  std::string_view body_key;  // the key of its substance: "placement"
  std::string_view advice;    // how one comes by it
};

// Throws InputError "`place`: found X, expected `wanted.what`; `wanted.advice`" if `text` is a JSON
// object with neither the format nor the body of what was wanted. X is a kind of file that opyard
// or PyTorch writes, and who reads it, else "JSON of another program". Says nothing of texts that
// are no JSON or hold a token that ParseJson refuses for its length. Reads all of `text`: meant for
// after something was found wrong with it.
void ThrowIfOfAnotherKind(std::string_view text,
                          const std::string& place,
                          const WantedJson& wanted);

}  // namespace opyard::sim
