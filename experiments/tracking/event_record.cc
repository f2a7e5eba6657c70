#include "experiments/tracking/event_record.h"

#include <bit>
#include <cstddef>

#include <boost/crc.hpp>
#include <protozero/pbf_writer.hpp>

namespace opyard::experiments {
namespace {

// Field numbers of event.proto and summary.proto.
constexpr protozero::pbf_tag_type kWallTimeField = 1;
constexpr protozero::pbf_tag_type kStepField = 2;
constexpr protozero::pbf_tag_type kFileVersionField = 3;
constexpr protozero::pbf_tag_type kSummaryField = 5;
constexpr protozero::pbf_tag_type kSessionField = 7;
constexpr protozero::pbf_tag_type kStatusField = 1;
constexpr protozero::pbf_tag_type kSummaryItemField = 1;
constexpr protozero::pbf_tag_type kTagField = 1;
constexpr protozero::pbf_tag_type kNumberField = 2;
constexpr std::int32_t kSessionStart = 1;

template <class Number>
std::string LittleEndian(Number number) {
  std::string bytes;
  for (std::size_t i = 0; i < sizeof number; ++i) {
    bytes += static_cast<char>(static_cast<unsigned char>(number >> (8 * i)));
  }
  return bytes;
}

std::string Framed(const std::string& data) {
  const std::string length = LittleEndian(std::uint64_t{data.size()});
  return length + LittleEndian(MaskedCrc32c(length)) + data + LittleEndian(MaskedCrc32c(data));
}

}  // namespace

std::uint32_t MaskedCrc32c(std::string_view bytes) {
  boost::crc_optimal<32, 0x1EDC6F41, 0xFFFFFFFF, 0xFFFFFFFF, true, true> crc;
  crc.process_bytes(bytes.data(), bytes.size());
  return std::rotr(static_cast<std::uint32_t>(crc.checksum()), 15) + 0xa282ead8U;
}

std::string VersionRecord(double unix_time_s) {
  std::string event;
  protozero::pbf_writer writer(event);
  writer.add_double(kWallTimeField, unix_time_s);
  writer.add_string(kFileVersionField, "brain.Event:2");
  return Framed(event);
}

std::string RestartRecord(const ScalarsPlace& at) {
  std::string session;
  protozero::pbf_writer(session).add_enum(kStatusField, kSessionStart);
  std::string event;
  protozero::pbf_writer writer(event);
  writer.add_double(kWallTimeField, at.unix_time_s);
  writer.add_int64(kStepField, at.step);
  writer.add_message(kSessionField, session);
  return Framed(event);
}

std::string ScalarsRecord(const ScalarsPlace& at, const Scalars& scalars) {
  std::string summary;
  for (const auto& [name, value] : scalars) {
    protozero::pbf_writer summary_writer(summary);
    protozero::pbf_writer item(summary_writer, kSummaryItemField);
    item.add_string(kTagField, name);
    item.add_float(kNumberField, static_cast<float>(value));
  }
  std::string event;
  protozero::pbf_writer writer(event);
  writer.add_double(kWallTimeField, at.unix_time_s);
  writer.add_int64(kStepField, at.step);
  writer.add_message(kSummaryField, summary);
  return Framed(event);
}

}  // namespace opyard::experiments
