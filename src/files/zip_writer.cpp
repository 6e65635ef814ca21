// SPDX-License-Identifier: MIT
#include "files/zip_writer.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "files/byte_order.hpp"
#include "files/checksum.hpp"

namespace sheaf {
namespace {

constexpr std::uint64_t alignment = 64;
constexpr std::size_t local_bytes = 30;

// Larger numbers are in a 64-bit record or field; these values then refer to it.
constexpr std::uint64_t max32 = 0xffffffff, max16 = 0xffff;

constexpr std::uint64_t utf8_names = 1 << 11;
constexpr std::uint64_t first_of_1980 =
    1 << 5 | 1;  // the earliest date: archives have no time, so equal models are equal
constexpr std::uint64_t plain_version = 20, version64 = 45;
constexpr std::uint64_t field64 = 1, padding_field = 0x4246;  // "FB"

// Appends numbers, least significant byte first.
class Record {
 public:
  explicit Record(std::string_view signature) : bytes_(signature) {}
  Record& put(std::uint64_t value, std::size_t bytes) {
    append_unsigned(bytes_, value, bytes);
    return *this;
  }
  Record& put(std::string_view text) {
    bytes_ += text;
    return *this;
  }
  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

struct Entry {
  std::string_view name;
  std::uint64_t bytes = 0;
  std::uint32_t crc = 0;
  std::uint64_t offset = 0;  // of the local header
};

Entry entry_of(const NewZipMember& member, std::uint64_t offset) {
  Entry entry{member.name, 0, 0, offset};
  for (const std::string_view part : member.parts) {
    entry.bytes += part.size();
    entry.crc = checksum(part.data(), part.size(), entry.crc);
  }
  return entry;
}

// The extra field with the numbers that need 64 bits; empty without numbers.
std::string extra64(const std::vector<std::uint64_t>& values) {
  if (values.empty()) return "";
  Record field("");
  field.put(field64, 2).put(8 * values.size(), 2);
  for (const std::uint64_t value : values) field.put(value, 8);
  return field.bytes();
}

// Fills up the `used` bytes before the content of a member.
std::string padding(std::uint64_t used) {
  constexpr std::uint64_t field_bytes = 4;
  const std::uint64_t over = (used + field_bytes) % alignment;
  const std::uint64_t count = over == 0 ? 0 : alignment - over;
  return Record("").put(padding_field, 2).put(count, 2).put(std::string(static_cast<std::size_t>(count), 'Z')).bytes();
}

// The fields that the local header and the entry of the directory have in common. Both sizes are equal.
void put_description(Record& record, const Entry& entry, const std::string& extra, bool needs64) {
  record.put(needs64 ? version64 : plain_version, 2).put(utf8_names, 2).put(0, 2).put(0, 2).put(first_of_1980, 2);
  const std::uint64_t size = std::min(entry.bytes, max32);
  record.put(entry.crc, 4).put(size, 4).put(size, 4).put(entry.name.size(), 2).put(extra.size(), 2);
}

std::string local_header(const Entry& entry) {
  const bool needs64 = entry.bytes >= max32;
  std::string extra = needs64 ? extra64({entry.bytes, entry.bytes}) : "";
  extra += padding(entry.offset + local_bytes + entry.name.size() + extra.size());
  Record header("PK\x03\x04");
  put_description(header, entry, extra, needs64);
  return header.put(entry.name).put(extra).bytes();
}

std::string directory_entry(const Entry& entry) {
  std::vector<std::uint64_t> large;
  if (entry.bytes >= max32) large = {entry.bytes, entry.bytes};
  if (entry.offset >= max32) large.push_back(entry.offset);
  const std::string extra = extra64(large);
  Record record("PK\x01\x02");
  record.put(large.empty() ? plain_version : version64, 2);  // of the writer
  put_description(record, entry, extra, !large.empty());
  constexpr std::uint64_t comment_bytes = 0, disk = 0, internal = 0, external = 0;  // no attributes
  record.put(comment_bytes, 2).put(disk, 2).put(internal, 2).put(external, 4).put(std::min(entry.offset, max32), 4);
  return record.put(entry.name).put(extra).bytes();
}

// `directory`: offset of the directory of `bytes` bytes, which has `count` entries.
std::string end_of_archive(std::uint64_t count, std::uint64_t directory, std::uint64_t bytes) {
  std::string records;
  if (count >= max16 || directory >= max32 || bytes >= max32) {
    constexpr std::uint64_t rest_of_record = 44, disk = 0, disks = 1;
    records = Record("PK\x06\x06")
                  .put(rest_of_record, 8)
                  .put(version64, 2)
                  .put(version64, 2)
                  .put(disk, 4)
                  .put(disk, 4)
                  .put(count, 8)
                  .put(count, 8)
                  .put(bytes, 8)
                  .put(directory, 8)
                  .bytes();
    records += Record("PK\x06\x07").put(disk, 4).put(directory + bytes, 8).put(disks, 4).bytes();
  }
  const std::uint64_t shown = std::min(count, max16);
  return records + Record("PK\x05\x06")
                       .put(0, 2)
                       .put(0, 2)
                       .put(shown, 2)
                       .put(shown, 2)
                       .put(std::min(bytes, max32), 4)
                       .put(std::min(directory, max32), 4)
                       .put(0, 2)
                       .bytes();
}

}  // namespace

void write_zip_archive(const std::vector<NewZipMember>& members, const ByteSink& sink) {
  std::uint64_t offset = 0;
  const auto put = [&](std::string_view bytes) {
    sink(bytes);
    offset += bytes.size();
  };
  std::vector<Entry> entries;
  for (const NewZipMember& member : members) {
    entries.push_back(entry_of(member, offset));
    put(local_header(entries.back()));
    for (const std::string_view part : member.parts) put(part);
  }
  const std::uint64_t directory = offset;
  for (const Entry& entry : entries) put(directory_entry(entry));
  put(end_of_archive(entries.size(), directory, offset - directory));
}

}  // namespace sheaf
