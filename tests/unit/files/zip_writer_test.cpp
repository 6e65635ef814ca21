// SPDX-License-Identifier: MIT
#include "files/zip_writer.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <memory>

#include "files/zip.hpp"
#include "support/catch.hpp"

using namespace sheaf;
using namespace std::string_literals;

namespace {

std::string archive_of(const std::vector<NewZipMember>& members) {
  std::string archive;
  write_zip_archive(members, [&archive](std::string_view bytes) { archive += bytes; });
  return archive;
}

// The offset of a member's bytes.
std::size_t content_offset(std::string_view archive, const ZipMember& member) {
  const auto field = [&](std::size_t at) {
    return static_cast<unsigned char>(archive[at]) |
           static_cast<std::size_t>(static_cast<unsigned char>(archive[at + 1])) << 8;
  };
  const auto header = static_cast<std::size_t>(member.header_offset);
  return header + 30 + field(header + 26) + field(header + 28);
}

// Memory of zeros that takes room only where it is written.
class Zeros {
 public:
  explicit Zeros(std::size_t bytes)
      : bytes_(bytes),
        data_(static_cast<char*>(
            ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0))) {
    REQUIRE(data_ != MAP_FAILED);
  }
  ~Zeros() { ::munmap(data_, bytes_); }
  Zeros(const Zeros&) = delete;
  Zeros& operator=(const Zeros&) = delete;
  char* data() { return data_; }

 private:
  std::size_t bytes_;
  char* data_;
};

}  // namespace

TEST_CASE("the members of a written archive are read back, and their bytes are aligned") {
  for (std::size_t length = 1; length <= 130; ++length) {
    const std::string name(length, 'n'), first = "first", second(length, '\0');
    const std::string archive = archive_of({{name, {first, second}}, {"empty", {}}, {"d\xc3\xbcrre/\n\"\\", {"x"}}});
    const auto members = zip_directory(archive, "a.zip");
    REQUIRE(members.size() == 3);
    CHECK(members[0].name == name);
    CHECK(members[2].name == "d\xc3\xbcrre/\n\"\\");
    CHECK(read_all(*open_member(archive, "a.zip", members[0])) == first + second);
    CHECK(read_all(*open_member(archive, "a.zip", members[1])).empty());
    CHECK(read_all(*open_member(archive, "a.zip", members[2])) == "x");
    for (const ZipMember& member : members) {
      verify_member(archive, "a.zip", member);
      CHECK(content_offset(archive, member) % 64 == 0);
    }
  }
  CHECK(zip_directory(archive_of({}), "a.zip").empty());
}

TEST_CASE("an archive may have more members than 16 bits count") {
  std::vector<NewZipMember> members;
  for (int number = 0; number < 65536; ++number) members.push_back({std::to_string(number), {"content"}});
  const std::string archive = archive_of(members);
  const auto found = zip_directory(archive, "a.zip");
  REQUIRE(found.size() == members.size());
  CHECK(found.back().name == "65535");
  verify_member(archive, "a.zip", found.back());
}

TEST_CASE("members and archives may be larger than 4 GiB") {
  // One part many times, which is not copied, since the archive consists of zeros already.
  constexpr std::size_t part_bytes = std::size_t{1} << 26, parts = 64;
  Zeros part(part_bytes), archive(part_bytes * parts + (1 << 20));
  const std::string_view zeros(part.data(), part_bytes);
  std::size_t size = 0;
  write_zip_archive({{"before", {"1"}}, {"large", std::vector<std::string_view>(parts, zeros)}, {"after", {"2"}}},
                    [&](std::string_view bytes) {
                      if (bytes.data() != zeros.data()) std::memcpy(archive.data() + size, bytes.data(), bytes.size());
                      size += bytes.size();
                    });
  const std::string_view whole(archive.data(), size);
  const auto members = zip_directory(whole, "a.zip");
  REQUIRE(members.size() == 3);
  CHECK(members[1].bytes == part_bytes * parts);
  CHECK(members[1].packed_bytes == part_bytes * parts);
  CHECK(content_offset(whole, members[1]) % 64 == 0);
  // The local header has both sizes in an extra field of 16 bytes.
  const std::string_view header = whole.substr(static_cast<std::size_t>(members[1].header_offset));
  CHECK(header.substr(18, 8) == "\xff\xff\xff\xff\xff\xff\xff\xff");
  CHECK(header.substr(30 + 5, 20) == "\1\0\x10\0\0\0\0\0\1\0\0\0\0\0\0\0\1\0\0\0"s);
  CHECK(members[2].header_offset > std::uint64_t{1} << 32);
  CHECK(content_offset(whole, members[2]) % 64 == 0);
  CHECK(read_all(*open_member(whole, "a.zip", members[0])) == "1");
  CHECK(read_all(*open_member(whole, "a.zip", members[2])) == "2");
}
