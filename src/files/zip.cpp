// SPDX-License-Identifier: MIT
#include "files/zip.hpp"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "core/error.hpp"
#include "core/text.hpp"
#include "files/byte_order.hpp"
#include "files/checksum.hpp"

namespace sheaf {
namespace {

// Signatures and fixed sizes of the records in PKWARE's APPNOTE 6.3, section 4.3.
constexpr std::string_view local_signature = "PK\x03\x04";
constexpr std::string_view entry_signature = "PK\x01\x02";
constexpr std::string_view end_signature = "PK\x05\x06";
constexpr std::string_view end64_signature = "PK\x06\x06";
constexpr std::string_view locator64_signature = "PK\x06\x07";
constexpr std::size_t local_bytes = 30, entry_bytes = 46, end_bytes = 22, end64_bytes = 56, locator64_bytes = 20;
constexpr std::size_t longest_comment = 65535;
constexpr std::uint64_t in_extra_field = 0xffffffff;

[[noreturn]] void refuse_archive(const std::string& archive, const std::string& why) {
  throw RunError(fmt::format("'{}' is not a valid ZIP archive ({}). Copy or recreate it.", archive, why));
}

// A record in the archive, with access to its little-endian fields.
class Record {
 public:
  Record(std::string_view archive, std::uint64_t offset, std::size_t bytes, std::string_view signature,
         const std::string& name) {
    if (offset > archive.size() || archive.size() - offset < bytes || archive.substr(offset, 4) != signature)
      refuse_archive(name, fmt::format("a record is missing at byte {}", offset));
    text_ = archive.substr(offset);
  }
  std::uint64_t field(std::size_t offset, std::size_t bytes) const {
    return read_unsigned(text_.data() + offset, bytes, false);
  }
  std::string_view text(std::size_t offset, std::size_t bytes, const std::string& name) const {
    if (text_.size() < offset || text_.size() - offset < bytes) refuse_archive(name, "a record extends beyond the end");
    return text_.substr(offset, bytes);
  }

 private:
  std::string_view text_;
};

struct Directory {
  std::uint64_t offset = 0;
  std::uint64_t entries = 0;
};

Directory find_directory(std::string_view archive, const std::string& name) {
  const std::size_t found = archive.rfind(end_signature);
  if (found == archive.npos || archive.size() - found > end_bytes + longest_comment)
    refuse_archive(name, "it has no directory at its end");
  const Record end(archive, found, end_bytes, end_signature, name);
  Directory directory{end.field(16, 4), end.field(10, 2)};
  if (found >= locator64_bytes && archive.substr(found - locator64_bytes, 4) == locator64_signature) {
    const Record locator(archive, found - locator64_bytes, locator64_bytes, locator64_signature, name);
    const Record end64(archive, locator.field(8, 8), end64_bytes, end64_signature, name);
    directory = {end64.field(48, 8), end64.field(32, 8)};
  }
  return directory;
}

// Extra field 1 contains the sizes and the offset that do not fit into 32 bits, in this order.
void read_extra_field(std::string_view extra, ZipMember& member, const std::string& name) {
  while (extra.size() >= 4) {
    const auto id = read_unsigned(extra.data(), 2, false);
    const auto bytes = static_cast<std::size_t>(read_unsigned(extra.data() + 2, 2, false));
    if (extra.size() - 4 < bytes) refuse_archive(name, "an extra field is truncated");
    std::string_view field = extra.substr(4, bytes);
    extra.remove_prefix(4 + bytes);
    if (id != 1) continue;
    for (std::uint64_t* value : {&member.bytes, &member.packed_bytes, &member.header_offset}) {
      if (*value != in_extra_field) continue;
      if (field.size() < 8) refuse_archive(name, "an extra field is truncated");
      *value = read_unsigned(field.data(), 8, false);
      field.remove_prefix(8);
    }
  }
}

class MemberSource : public ByteSource {
 public:
  MemberSource(std::string name, std::string_view packed, const ZipMember& member)
      : ByteSource(std::move(name)), packed_(packed), left_(member.bytes), crc_(member.crc) {}

  std::size_t read(void* bytes, std::size_t count) final {
    const auto wanted = static_cast<std::size_t>(std::min<std::uint64_t>(count, left_));
    if (unpack(static_cast<unsigned char*>(bytes), wanted) != wanted)
      refuse_archive(name(), "it unpacks to less than it declares, or its data is damaged");
    left_ -= wanted;
    seen_crc_ = checksum(bytes, wanted, seen_crc_);
    if (left_ == 0 && !complete()) refuse_archive(name(), "it unpacks to more than it declares");
    if (left_ == 0 && seen_crc_ != crc_) refuse_archive(name(), "its checksum is wrong");
    return wanted;
  }

 protected:
  virtual std::size_t unpack(unsigned char* bytes, std::size_t count) = 0;
  /// Returns whether all data has been unpacked.
  virtual bool complete() = 0;
  std::string_view packed_;  // the part that is not yet unpacked

 private:
  std::uint64_t left_;
  std::uint32_t crc_;
  std::uint32_t seen_crc_ = 0;
};

class StoredMember final : public MemberSource {
 public:
  using MemberSource::MemberSource;

 private:
  std::size_t unpack(unsigned char* bytes, std::size_t count) override {
    count = std::min(count, packed_.size());
    std::copy_n(packed_.data(), count, bytes);
    packed_.remove_prefix(count);
    return count;
  }
  bool complete() override { return packed_.empty(); }
};

class DeflatedMember final : public MemberSource {
 public:
  DeflatedMember(std::string name, std::string_view packed, const ZipMember& member)
      : MemberSource(std::move(name), packed, member) {
    if (::inflateInit2(&stream_, -MAX_WBITS) != Z_OK) throw std::bad_alloc();
  }
  ~DeflatedMember() override { ::inflateEnd(&stream_); }

 private:
  std::size_t unpack(unsigned char* bytes, std::size_t count) override {
    constexpr std::size_t most = std::size_t{1} << 30;  // zlib counts in 32 bits
    std::size_t done = 0;
    while (done < count && !ended_) {
      const std::size_t offered = std::min(packed_.size(), most), room = std::min(count - done, most);
      stream_.next_in = reinterpret_cast<unsigned char*>(const_cast<char*>(packed_.data()));
      stream_.avail_in = static_cast<unsigned>(offered);
      stream_.next_out = bytes + done;
      stream_.avail_out = static_cast<unsigned>(room);
      const int code = ::inflate(&stream_, Z_NO_FLUSH);
      packed_.remove_prefix(offered - stream_.avail_in);
      done += room - stream_.avail_out;
      if (code == Z_STREAM_END)
        ended_ = true;
      else if (code != Z_OK)
        break;
    }
    return done;
  }

  bool complete() override {
    unsigned char more = 0;
    return unpack(&more, 1) == 0 && ended_;
  }

  z_stream stream_ = {};
  bool ended_ = false;
};

constexpr int stored_method = 0, deflated_method = 8;

std::string member_name(const std::string& archive_name, const ZipMember& member) {
  return printable(archive_name + ":" + member.name);
}

// The packed bytes of a member. Throws RunError if they cannot be unpacked.
std::string_view packed_bytes(std::string_view archive, const std::string& archive_name, const ZipMember& member) {
  if (member.encrypted || (member.method != stored_method && member.method != deflated_method))
    throw RunError(fmt::format(
        "'{}' cannot be unpacked ({}). Create the archive again without it.", member_name(archive_name, member),
        member.encrypted ? "it is encrypted"
                         : fmt::format("its compression method {} is not supported", member.method)));
  const Record local(archive, member.header_offset, local_bytes, local_signature, archive_name);
  const auto before = local_bytes + static_cast<std::size_t>(local.field(26, 2) + local.field(28, 2));
  return local.text(before, static_cast<std::size_t>(member.packed_bytes), archive_name);
}

}  // namespace

std::string read_archive(ByteSource& source) {
  std::string archive(local_signature.size(), '\0');
  archive.resize(source.read(archive.data(), archive.size()));
  if (archive != local_signature && archive != end_signature) refuse_archive(source.name(), "it has no ZIP signature");
  return read_all(source, std::move(archive));
}

std::vector<ZipMember> zip_directory(std::string_view archive, const std::string& archive_name) {
  const Directory directory = find_directory(archive, archive_name);
  std::vector<ZipMember> members;
  std::uint64_t offset = directory.offset;
  for (std::uint64_t number = 0; number < directory.entries; ++number) {
    const Record entry(archive, offset, entry_bytes, entry_signature, archive_name);
    const auto name_bytes = static_cast<std::size_t>(entry.field(28, 2));
    const auto extra_bytes = static_cast<std::size_t>(entry.field(30, 2));
    ZipMember member;
    member.name = std::string(entry.text(entry_bytes, name_bytes, archive_name));
    member.encrypted = entry.field(8, 2) & 1;
    member.method = static_cast<int>(entry.field(10, 2));
    member.crc = static_cast<std::uint32_t>(entry.field(16, 4));
    member.packed_bytes = entry.field(20, 4);
    member.bytes = entry.field(24, 4);
    member.header_offset = entry.field(42, 4);
    read_extra_field(entry.text(entry_bytes + name_bytes, extra_bytes, archive_name), member, archive_name);
    members.push_back(std::move(member));
    offset += entry_bytes + name_bytes + extra_bytes + entry.field(32, 2);
  }
  return members;
}

std::unique_ptr<ByteSource> open_member(std::string_view archive, const std::string& archive_name,
                                        const ZipMember& member) {
  const std::string name = member_name(archive_name, member);
  const std::string_view packed = packed_bytes(archive, archive_name, member);
  if (member.method == stored_method) return std::make_unique<StoredMember>(name, packed, member);
  return std::make_unique<DeflatedMember>(name, packed, member);
}

void verify_member(std::string_view archive, const std::string& archive_name, const ZipMember& member) {
  if (member.method == stored_method && !member.encrypted) {
    const std::string_view bytes = packed_bytes(archive, archive_name, member);
    const std::string name = member_name(archive_name, member);
    if (bytes.size() != member.bytes) refuse_archive(name, "its two sizes differ");
    if (checksum(bytes.data(), bytes.size()) != member.crc) refuse_archive(name, "its checksum is wrong");
    return;
  }
  const auto source = open_member(archive, archive_name, member);
  std::vector<char> buffer(std::size_t{1} << 18);
  while (source->read(buffer.data(), buffer.size()) > 0) continue;
}

}  // namespace sheaf
