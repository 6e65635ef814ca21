// SPDX-License-Identifier: MIT
#include "files/zip.hpp"

#include <zlib.h>

#include "data/import/numpy_files.hpp"
#include "import_samples.hpp"

#include "support/catch.hpp"

using namespace sheaf;
using namespace sheaf::test;

namespace {

std::string number(std::uint64_t value, int bytes) {
  std::string text;
  for (int i = 0; i < bytes; ++i, value >>= 8) text += static_cast<char>(value & 255);
  return text;
}

std::string deflated(const std::string& text) {
  z_stream stream = {};
  deflateInit2(&stream, 9, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY);
  std::string packed(deflateBound(&stream, text.size()), '\0');
  stream.next_in = reinterpret_cast<unsigned char*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<unsigned>(text.size());
  stream.next_out = reinterpret_cast<unsigned char*>(packed.data());
  stream.avail_out = static_cast<unsigned>(packed.size());
  deflate(&stream, Z_FINISH);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  return packed;
}

// A member and the contents of its directory entry.
struct Entry {
  std::string name;
  std::string content;
  int method = 0;
  bool wide = false;  ///< sizes and offset in 64 bits
  int flags = 0;
  std::int64_t declared_more = 0;  ///< added to the declared size
  std::uint32_t crc_change = 0;
};

std::string zip(const std::vector<Entry>& entries) {
  std::string archive, directory;
  for (const auto& entry : entries) {
    const std::string packed = entry.method == 8 ? deflated(entry.content) : entry.content;
    const auto crc = entry.crc_change ^ crc32(0, reinterpret_cast<const unsigned char*>(entry.content.data()),
                                              static_cast<unsigned>(entry.content.size()));
    const std::uint64_t bytes = entry.content.size() + static_cast<std::uint64_t>(entry.declared_more);
    const std::uint64_t none = 0xffffffff;
    const std::string extra = entry.wide ? number(9, 2) + number(1, 2) + "x" + number(1, 2) + number(24, 2) +
                                               number(bytes, 8) + number(packed.size(), 8) + number(archive.size(), 8)
                                         : "";
    directory += "PK\1\2" + number(20, 2) + number(20, 2) + number(entry.flags, 2) + number(entry.method, 2) +
                 number(0, 4) + number(crc, 4) + number(entry.wide ? none : packed.size(), 4) +
                 number(entry.wide ? none : bytes, 4) + number(entry.name.size(), 2) + number(extra.size(), 2) +
                 number(0, 10) + number(entry.wide ? none : archive.size(), 4) + entry.name + extra;
    archive += "PK\3\4" + number(0, 22) + number(entry.name.size(), 2) + number(3, 2) + entry.name + "abc" + packed;
  }
  const std::uint64_t begin = archive.size();
  archive += directory;
  if (!entries.empty() && entries[0].wide) {
    const std::uint64_t end64 = archive.size();
    archive += "PK\6\6" + number(44, 8) + number(0, 12) + number(entries.size(), 8) + number(entries.size(), 8) +
               number(directory.size(), 8) + number(begin, 8);
    archive += "PK\6\7" + number(0, 4) + number(end64, 8) + number(1, 4);
    return archive + "PK\5\6" + number(0, 4) + number(0xffff, 2) + number(0xffff, 2) + number(0xffffffff, 4) +
           number(0xffffffff, 4) + number(0, 2);
  }
  return archive + "PK\5\6" + number(0, 4) + number(entries.size(), 2) + number(entries.size(), 2) +
         number(directory.size(), 4) + number(begin, 4) + number(7, 2) + "comment";
}

std::string content(const std::string& archive, std::size_t index = 0) {
  const auto members = zip_directory(archive, "a.zip");
  return read_all(*open_member(archive, "a.zip", members.at(index)));
}

std::string npy_bytes(const std::string& shape, const std::string& data) {
  const std::string header = "{'descr': '|u1', 'fortran_order': False, 'shape': " + shape + ", }";
  return std::string("\x93NUMPY\1\0", 8) + number(header.size(), 2) + header + data;
}

}  // namespace

TEST_CASE("stored and deflated members are read, with 32-bit and 64-bit sizes") {
  const std::string text = "some text, some text, some text";
  for (const bool wide : {false, true}) {
    const std::string archive = zip({{"a", text, 0, wide}, {"b", text + "!", 8, wide}, {"empty", "", 8, wide}});
    CHECK(zip_directory(archive, "a.zip").size() == 3);
    CHECK(zip_directory(archive, "a.zip")[1].name == "b");
    CHECK(content(archive, 0) == text);
    CHECK(content(archive, 1) == text + "!");
    CHECK(content(archive, 2).empty());
  }
}

TEST_CASE("a member that differs from its directory entry is refused") {
  const std::string text(1000, 'x');
  for (const int method : {0, 8}) {
    CHECK_THROWS_WITH(content(zip({{"a", text, method, false, 0, -1}})), ContainsSubstring("more than it declares"));
    CHECK_THROWS_WITH(content(zip({{"a", text, method, false, 0, 1}})), ContainsSubstring("less than it declares"));
    CHECK_THROWS_WITH(content(zip({{"a", text, method, false, 0, 0, 1}})), ContainsSubstring("its checksum is wrong"));
  }
  CHECK_THROWS_WITH(content(zip({{"a", text, 8, false, 1}})),
                    StartsWith("'a.zip:a' cannot be unpacked (it is encrypted)"));
  CHECK_THROWS_WITH(content(zip({{"a", text, 12}})), ContainsSubstring("its compression method 12"));
}

TEST_CASE("an archive that is truncated at any point is refused") {
  const std::string whole = zip({{"a", "content", 8, true}, {"b", "content", 0, true}});
  CHECK_THROWS_WITH(zip_directory("", "a.zip"), StartsWith("'a.zip' is not a valid ZIP archive (it has no directory"));
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const std::string front = whole.substr(0, size), back = whole.substr(whole.size() - size);
    CHECK_THROWS_AS(content(front), RunError);
    CHECK_THROWS_AS(content(back), RunError);
  }
}

TEST_CASE("a file without the ZIP signature is refused before it is read completely") {
  const std::string text(100000, 'x');
  MemorySource source("a.npz", text);
  CHECK_THROWS_WITH(read_archive(source), StartsWith("'a.npz' is not a valid ZIP archive (it has no ZIP signature)"));
  std::string left(text.size(), ' ');
  CHECK(source.read(left.data(), left.size()) == text.size() - 4);
  const std::string archive = zip({{"a", "content", 8}});
  MemorySource whole("a.npz", archive);
  CHECK(read_archive(whole) == archive);
}

TEST_CASE("arrays are found by their usual names or by given names") {
  const std::string archive = zip({{"labels.npy", npy_bytes("(2,)", "\1\2"), 0},
                                   {"x_train.npy", npy_bytes("(2, 1)", "\5\6"), 8},
                                   {"data.npy", npy_bytes("(2, 1)", "\7\10"), 8}});
  CHECK(numbers(import_npz(archive, "a.npz", {}).features) == std::vector<double>{7, 8});
  CHECK(numbers(import_npz(archive, "a.npz", {"x_train", "", true, {}}).features) == std::vector<double>{5, 6});
  CHECK(import_npz(archive, "a.npz", {}).description.class_names == std::vector<std::string>{"1", "2"});
  CHECK_THROWS_WITH(import_npz(archive, "a.npz", {"", "label", true, {}}),
                    "'a.npz' has no array 'label' (it has: labels, x_train, data). Did you mean 'labels'? Select one "
                    "with --targets=NAME.");
}

TEST_CASE("of train and test, an import takes the first and a model the second, with a note") {
  const std::string archive = zip({{"X_test.npy", npy_bytes("(1, 1)", "\1"), 0},
                                   {"y_test.npy", npy_bytes("(1,)", "\2"), 0},
                                   {"X_train.npy", npy_bytes("(1, 1)", "\3"), 0},
                                   {"y_train.npy", npy_bytes("(1,)", "\4"), 0}});
  const auto features = [&](const NpzOptions& options) {
    return numbers(import_npz(archive, "a.npz", options).features);
  };
  const auto notes = [&](const NpzOptions& options) { return import_npz(archive, "a.npz", options).notes; };
  const NpzOptions training, model{"", "", true, {}, true}, prediction{"", "", false, {}, true};
  CHECK(features(training) == std::vector<double>{3});
  CHECK(features(model) == std::vector<double>{1});
  CHECK(notes(training).back() ==
        "'a.npz': X_train and y_train are used; it also has X_test and y_test (--features=X_test --targets=y_test)");
  CHECK(notes(model).back() ==
        "'a.npz': X_test and y_test are used; it also has X_train and y_train (--data.features=X_train "
        "--data.targets=y_train)");
  CHECK(notes(prediction).front() == "'a.npz': X_test is used; it also has X_train (--data.features=X_train)");
  const auto test_only = import_npz(archive, "a.npz", {"X_test", "", true, {}});
  CHECK(test_only.description.class_names == std::vector<std::string>{"2"});  // the targets that belong to it
  CHECK(numbers(test_only.features) == std::vector<double>{1});
}

TEST_CASE("control characters in names are not printed") {
  const std::string archive = zip({{"y\x1b[2J\n.npy", npy_bytes("(2,)", "\1\2"), 0}, {"X", "no array", 0}});
  CHECK_THROWS_WITH(import_npz(archive, "a.npz", {"X", "y", true, {}}), ContainsSubstring("(it has: y?[2J?, X)"));
  const std::string bad = zip({{"\x1b", "no array", 0}, {"y", npy_bytes("(1,)", "\1"), 0}});
  CHECK_THROWS_WITH(import_npz(bad, "a.npz", {"\x1b", "y", true, {}}), StartsWith("'a.npz:?' is no"));
}

TEST_CASE("an array whose header does not match the declared size is not decompressed") {
  const std::string bomb = zip({{"X.npy", npy_bytes("(2, 1)", std::string(1000000, 'x')), 8}, {"y.npy", "", 0}});
  CHECK_THROWS_WITH(import_npz(bomb, "a.npz", {}), StartsWith("'a.npz:X.npy' has inconsistent sizes"));
  const std::string promise =
      zip({{"X.npy", npy_bytes("(4000000000, 1)", "x"), 8, false, 0, 3999999999 - 1}, {"y.npy", "", 0}});
  CHECK_THROWS_AS(import_npz(promise, "a.npz", {}), RunError);
}
