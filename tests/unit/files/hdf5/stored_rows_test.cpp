// Tests of StoredRows that read_layouts.py does not cover: damaged files, blocks and views.
// SPDX-License-Identifier: MIT
#include "files/hdf5/stored_rows.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "core/error.hpp"
#include "support/hdf5_fixture.hpp"

#include "support/catch.hpp"

using namespace sheaf;
using namespace sheaf::test;

namespace {

std::vector<double> counting(std::size_t count) {
  std::vector<double> values(count);
  for (std::size_t index = 0; index < count; ++index) values[index] = static_cast<double>(index % 120);
  return values;
}

std::string error_of(const StoredRows& stored, IndexRange rows) {
  std::vector<float> values(static_cast<std::size_t>(rows.count() * stored.info().row_elements()));
  RowBuffers buffers;
  try {
    stored.read(rows, values.data(), buffers);
  } catch (const RunError& error) {
    return error.what();
  }
  return "no error";
}

std::vector<std::byte> bytes_of(const std::string& text) {
  const auto* begin = reinterpret_cast<const std::byte*>(text.data());
  return {begin, begin + text.size()};
}

}  // namespace

TEST_CASE("blocks consist of whole chunks and cover all rows") {
  FixtureFile("blocks.h5").numbers("/x", {1000, 300}, counting(300000), {H5T_IEEE_F32LE, {64, 300}});
  const StoredRows chunked("blocks.h5", "/x");
  std::int64_t next = 0;
  for (std::int64_t number = 0; number < chunked.block_count(); ++number) {
    CHECK(chunked.block(number).begin == next);
    CHECK(next % 64 == 0);
    CHECK(chunked.block(number).count() * 300 <= chunked.max_block_elements());
    next = chunked.block(number).end;
  }
  CHECK(next == 1000);
  CHECK(chunked.block_count() > 2);  // at most 64 KiB each, rounded to whole chunks
}

TEST_CASE("a damaged chunk is an error that names its rows, and other chunks can still be read") {
  for (const bool gzip : {true, false}) {
    FixtureFile("spoiled.h5").numbers("/x", {40}, counting(40), {H5T_IEEE_F64LE, {10}, gzip, !gzip});
    spoil_chunk("spoiled.h5", "/x", 2);
    const StoredRows stored("spoiled.h5", "/x");
    CHECK(error_of(stored, {0, 20}) == "no error");
    const std::string error = error_of(stored, {20, 30});
    CHECK_THAT(error, StartsWith("Rows 20 to 29 of data set '/x' of 'spoiled.h5' cannot be read (it"));
    CHECK_THAT(error, ContainsSubstring(gzip ? "decompress" : "its checksum is "));
    CHECK(error_of(stored, {30, 40}) == "no error");
  }
}

TEST_CASE("chunks that HDF5 cannot find are one error with HDF5's message") {
  FixtureFile("lost.h5").numbers("/x", {40}, counting(40), {H5T_IEEE_F64LE, {10}});
  std::fstream file("lost.h5", std::ios::in | std::ios::out | std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(file)), {});
  file.seekp(static_cast<std::streamoff>(bytes.find(std::string("TREE\1"))));
  file.write("lost", 4);
  file.close();
  const std::string error = error_of(StoredRows("lost.h5", "/x"), {0, 10});
  CHECK_THAT(error, StartsWith("Rows 0 to 9 of data set '/x' of 'lost.h5' cannot be read ("));
  CHECK(error.find("cannot be read") == error.rfind("cannot be read"));
}

TEST_CASE("a file that is truncated while it is read is an error") {
  FixtureFile("short.h5").numbers("/x", {1000, 100}, counting(100000));
  {
    const StoredRows stored("short.h5", "/x");
    CHECK(error_of(stored, {0, 1000}) == "no error");
    std::filesystem::resize_file("short.h5", 100000);
    CHECK(error_of(stored, {0, 1000}) ==
          "File 'short.h5' was changed while it was read. Start again when it is complete.");
  }
}

TEST_CASE("a view has the values that read returns, without a copy if the file stores them contiguously in that type") {
  {
    FixtureFile file("views.h5");
    file.numbers("/float", {50, 7}, counting(350));
    file.numbers("/bytes", {50, 7}, counting(350), {H5T_STD_U8LE});
    file.numbers("/swapped", {50, 7}, counting(350), {H5T_IEEE_F32BE});
    file.numbers("/double", {50, 7}, counting(350), {H5T_IEEE_F64LE});
    file.numbers("/odd", {3}, counting(3), {H5T_STD_U8LE});
    file.numbers("/unaligned", {50, 7}, counting(350));
  }
  {
    FixtureFile file("views_of_chunks.h5");
    file.numbers("/long", {50, 7}, counting(350), {H5T_IEEE_F32LE, {42, 7}});
    file.numbers("/short", {50, 7}, counting(350), {H5T_IEEE_F32LE, {8, 7}});
    file.unwritten("/apart", {50, 7}, {8, 7});
    for (const hsize_t row : {48, 0, 8, 24, 16, 32, 40}) file.chunk("/apart", {row, 0}, std::vector<float>(56, 3));
    file.numbers("/narrow", {50, 7}, counting(350), {H5T_IEEE_F32LE, {42, 4}});
    file.numbers("/checked", {50, 7}, counting(350), {H5T_IEEE_F32LE, {42, 7}, false, true});
    file.numbers("/bytes", {50, 7}, counting(350), {H5T_STD_U8LE, {42, 7}});
    file.unwritten("/unwritten", {50, 7}, {42, 7});
  }
  const IndexRange rows{9, 41};
  const auto check = [&](const std::string& path, const std::string& name, auto number, bool without_copy) {
    CAPTURE(path, name);
    using Value = decltype(number);
    const StoredRows stored(path, name);
    RowBuffers buffers;
    AlignedVector<Value> memory;
    std::vector<Value> expected(static_cast<std::size_t>(rows.count() * 7));
    stored.read(rows, expected.data(), buffers);
    const Value* found = stored.view(rows, memory, buffers);
    CHECK(std::equal(expected.begin(), expected.end(), found));
    CHECK(memory.empty() == without_copy);
    stored.require_unchanged();
  };
  check("views.h5", "/float", float{}, true);
  check("views.h5", "/bytes", std::uint8_t{}, true);
  check("views.h5", "/bytes", float{}, false);
  check("views.h5", "/swapped", float{}, false);
  check("views.h5", "/double", float{}, false);
  check("views.h5", "/unaligned", float{}, false);
  check("views_of_chunks.h5", "/long", float{}, true);
  check("views_of_chunks.h5", "/short", float{}, true);  // consecutive chunks
  check("views_of_chunks.h5", "/apart", float{}, false);
  check("views_of_chunks.h5", "/narrow", float{}, false);
  check("views_of_chunks.h5", "/checked", float{}, false);
  check("views_of_chunks.h5", "/bytes", std::uint8_t{}, true);
  check("views_of_chunks.h5", "/bytes", float{}, false);
  check("views_of_chunks.h5", "/unwritten", float{}, false);
}

TEST_CASE("reading rows for later use gives the same values") {
  FixtureFile("late.h5").numbers("/x", {2000, 100}, counting(200000));
  FixtureFile("late_chunks.h5").numbers("/x", {2000, 100}, counting(200000), {H5T_IEEE_F32LE, {10, 100}});
  for (const char* path : {"late.h5", "late_chunks.h5"}) {
    const StoredRows stored(path, "/x");
    for (const IndexRange rows : {IndexRange{0, 2000}, {3, 1995}, {1990, 2000}}) {
      const auto count = static_cast<std::size_t>(rows.count() * 100);
      std::vector<float> soon(count), late(count);
      RowBuffers buffers;
      stored.read(rows, late.data(), buffers, NextUse::late);
      stored.read(rows, soon.data(), buffers);
      CHECK(late == soon);
      CHECK(late[50] == static_cast<float>((rows.begin * 100 + 50) % 120));
    }
  }
}

TEST_CASE("a view of a file that is truncated meanwhile is an error") {
  FixtureFile("cut.h5").numbers("/x", {1000, 100}, std::vector<double>(100000, 1));
  const StoredRows stored("cut.h5", "/x");
  RowBuffers buffers;
  AlignedVector<float> memory;
  const float* values = stored.view({0, 1000}, memory, buffers);
  stored.require_unchanged();
  std::filesystem::resize_file("cut.h5", 100000);
  CHECK(values[10] == 1);
  CHECK(values[99999] == 0);
  const std::string changed = "File 'cut.h5' was changed while it was read. Start again when it is complete.";
  CHECK_THROWS_WITH(stored.require_unchanged(), changed);
  RowBuffers others;
  CHECK_THROWS_WITH(stored.view({0, 1000}, memory, others), changed);
}

TEST_CASE("a chunk that decompresses to a wrong size is refused") {
  // A zlib stream of 11 bytes, "hello hello".
  const std::string stream("\x78\x9c\xcb\x48\xcd\xc9\xc9\x57\xc8\x00\x91\x00\x19\x91\x04\x49", 16);
  const auto decode = [&](std::size_t chunk_bytes, const std::string& stored) {
    ChunkDecoder decoder({{ChunkFilter::Kind::deflate}}, chunk_bytes);
    const auto bytes = bytes_of(stored);
    std::copy(bytes.begin(), bytes.end(), decoder.stored(bytes.size()));
    const std::byte* found = decoder.decode(bytes.size(), 0, nullptr);
    return std::string(reinterpret_cast<const char*>(found), chunk_bytes);
  };
  CHECK(decode(11, stream) == "hello hello");
  CHECK_THROWS_WITH(decode(10, stream), "it decompresses to more than a chunk");
  CHECK_THROWS_WITH(decode(12, stream), "it has 11 bytes, not 12");
  CHECK_THROWS_WITH(decode(11, stream.substr(0, 9)), "it does not decompress");
  CHECK_THROWS_WITH(decode(11, ""), "it does not decompress");
}

TEST_CASE("filters that a chunk skipped are not applied when decoding") {
  ChunkDecoder decoder({{ChunkFilter::Kind::shuffle, 2}, {ChunkFilter::Kind::deflate}}, 4);
  const auto bytes = bytes_of("abcd");
  std::copy(bytes.begin(), bytes.end(), decoder.stored(4));
  const std::byte* found = decoder.decode(4, 0b11, nullptr);
  CHECK(std::string(reinterpret_cast<const char*>(found), 4) == "abcd");
  std::copy(bytes.begin(), bytes.end(), decoder.stored(4));
  found = decoder.decode(4, 0b10, nullptr);
  CHECK(std::string(reinterpret_cast<const char*>(found), 4) == "acbd");
}

TEST_CASE("a chunk is decoded into the given buffer and not beyond it") {
  const auto decode = [](ChunkDecoder decoder, const std::string& stored, std::uint32_t skipped, std::string& room) {
    const auto bytes = bytes_of(stored);
    std::copy(bytes.begin(), bytes.end(), decoder.stored(bytes.size()));
    auto* to = reinterpret_cast<std::byte*>(room.data());
    return decoder.decode(bytes.size(), skipped, to) == to;
  };
  const std::vector<ChunkFilter> both{{ChunkFilter::Kind::shuffle, 2}, {ChunkFilter::Kind::deflate}};
  const std::string hello("\x78\x9c\xcb\x48\xcd\xc9\xc9\x57\xc8\x00\x91\x00\x19\x91\x04\x49", 16);
  std::string room(12, '-');
  CHECK(decode({both, 11}, hello, 0b01, room));
  CHECK(room == "hello hello-");
  CHECK(decode({both, 11}, hello, 0, room));
  CHECK(room == "h ehlellolo-");
  CHECK(decode({both, 4}, "abcd", 0b10, room));
  CHECK(room.substr(0, 4) == "acbd");
  room.assign(12, '-');
  CHECK_FALSE(decode({both, 4}, "abcd", 0b11, room));
  CHECK(room == "------------");
  CHECK_THROWS_WITH(decode({both, 4}, "abcdef", 0b10, room), "it has 6 bytes, not 4");
  CHECK(room == "------------");
  CHECK_THROWS_WITH(decode({both, 10}, hello, 0b01, room), "it decompresses to more than a chunk");
  CHECK(room.substr(10) == "--");
}
