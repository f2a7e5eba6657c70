#include "sim/io/text/gzip.h"

#include <algorithm>
#include <limits>
#include <memory>

#include <zlib.h>

#include "sim/base/check.h"
#include "sim/base/error.h"
#include "sim/io/text/text_file.h"

namespace opyard::sim {
namespace {

constexpr int kGzipWindow = 15 + 16;  // the largest window, gzip framing (zlib.h, inflateInit2)

const Bytef* AsBytes(std::string_view text) {
  return reinterpret_cast<const Bytef*>(text.data());
}

// zlib's input pointer is not const although zlib does not write to it.
void SetInput(z_stream& stream, std::string_view input) {
  stream.next_in = const_cast<Bytef*>(AsBytes(input));
  stream.avail_in = static_cast<uInt>(input.size());
}

// The size by the trailer of the last member, as a hint: never more than the limit, nor than
// deflate can reach (1032 : 1).
std::size_t SizeHint(std::string_view packed) {
  if (packed.size() < 4) {
    return 0;
  }
  std::size_t size = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    const auto byte = static_cast<unsigned char>(packed[packed.size() - 1 - i]);
    size = (size << 8U) | byte;
  }
  return std::min({size + 1, kLargestTextBytes, packed.size() * 1032});
}

// Unpacks members one after another into one text.
class Unpacker {
 public:
  Unpacker(std::string_view packed, const std::string& place) : packed_(packed), place_(place) {
    OPYARD_CHECK(inflateInit2(&stream_, kGzipWindow) == Z_OK, "zlib cannot start");
    SetInput(stream_, packed);
  }
  ~Unpacker() { inflateEnd(&stream_); }
  Unpacker(const Unpacker&) = delete;
  Unpacker& operator=(const Unpacker&) = delete;

  std::string Run() {
    text_.reserve(SizeHint(packed_));
    do {
      UnpackMember();
    } while (stream_.avail_in > 0);
    return std::move(text_);
  }

 private:
  void UnpackMember() {
    OPYARD_CHECK(inflateReset(&stream_) == Z_OK, "zlib cannot start again");
    int status = Z_OK;
    while (status != Z_STREAM_END) {
      stream_.next_out = chunk_.get();
      stream_.avail_out = kChunk;
      status = inflate(&stream_, Z_NO_FLUSH);
      Append(kChunk - stream_.avail_out);
      if (status == Z_BUF_ERROR) {
        throw InputError(place_ + ": found a gzip that is cut short, expected its end");
      }
      if (status != Z_OK && status != Z_STREAM_END) {
        throw InputError(place_ + ": found damaged or foreign data, expected gzip data (" +
                         (stream_.msg == nullptr ? "unknown reason" : stream_.msg) + ")");
      }
    }
  }

  void Append(std::size_t size) {
    if (text_.size() + size > kLargestTextBytes) {
      throw InputError(place_ + ": found a gzip that unpacks beyond 512 MiB, expected less");
    }
    text_.append(reinterpret_cast<const char*>(chunk_.get()), size);
  }

  static constexpr uInt kChunk = 1U << 16U;

  std::string_view packed_;
  const std::string& place_;
  z_stream stream_{};
  std::unique_ptr<Bytef[]> chunk_ = std::make_unique<Bytef[]>(kChunk);
  std::string text_;
};

}  // namespace

std::string Gunzip(std::string_view packed, const std::string& place) {
  if (packed.size() > kLargestTextBytes) {
    throw InputError(place + ": found more than 512 MiB, expected less");
  }
  return Unpacker(packed, place).Run();
}

std::string Gzip(std::string_view text) {
  OPYARD_CHECK(text.size() <= std::numeric_limits<uInt>::max(), "text too large for one gzip call");
  z_stream stream{};
  OPYARD_CHECK(
      deflateInit2(
          &stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, kGzipWindow, 8, Z_DEFAULT_STRATEGY) == Z_OK,
      "zlib cannot start");
  std::string packed(deflateBound(&stream, text.size()), '\0');
  SetInput(stream, text);
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  const int status = deflate(&stream, Z_FINISH);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  OPYARD_CHECK(status == Z_STREAM_END, "zlib did not finish");
  return packed;
}

}  // namespace opyard::sim
