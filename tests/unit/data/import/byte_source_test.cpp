// SPDX-License-Identifier: MIT
#include <zlib.h>

#include <filesystem>
#include <fstream>

#include "import_samples.hpp"

#include "support/catch.hpp"

using namespace sheaf;
using namespace sheaf::test;

namespace {

void write(const std::string& path, const std::string& content) {
  std::ofstream(path, std::ios::binary) << content;
}

void write_gzip(const std::string& path, const std::string& content) {
  const gzFile file = gzopen(path.c_str(), "wb");
  gzwrite(file, content.data(), static_cast<unsigned>(content.size()));
  gzclose(file);
}

std::string read(const std::string& path) {
  return read_all(*open_source(path));
}

// Longer than one read of the source, and hard to compress.
std::string long_text() {
  std::string text;
  for (unsigned i = 0; text.size() < (3u << 20); ++i) text += std::to_string(i * 2654435761u);
  return text;
}

}  // namespace

TEST_CASE("plain and gzip files are read completely, whatever their names") {
  const std::string text = long_text();
  write("plain", text);
  write_gzip("packed", text);
  write("empty", "");
  CHECK(read("plain") == text);
  CHECK(read("packed") == text);
  CHECK(read("empty").empty());
}

TEST_CASE("a file that cannot be read or decompressed is an error") {
  CHECK_THROWS_WITH(read("absent"), StartsWith("File 'absent' cannot be read (No such file or directory)"));
  std::filesystem::create_directory("directory");
  CHECK_THROWS_WITH(read("directory"), StartsWith("'directory' is a directory"));
  std::filesystem::remove("unreadable");
  std::filesystem::create_symlink("/proc/self/mem", "unreadable");  // has no bytes at its beginning
  CHECK_THROWS_WITH(read("unreadable"),
                    "File 'unreadable' cannot be read (Input/output error). Check the disk and its permissions.");
  write_gzip("cut.gz", long_text());
  std::filesystem::resize_file("cut.gz", std::filesystem::file_size("cut.gz") - 9);
  CHECK_THROWS_WITH(read("cut.gz"), StartsWith("File 'cut.gz' cannot be decompressed (its gzip data is truncated)"));
  write_gzip("wrong.gz", long_text());
  std::fstream file("wrong.gz", std::ios::binary | std::ios::in | std::ios::out);
  file.seekp(-6, std::ios::end);
  file.put('x').put('y');
  file.close();
  CHECK_THROWS_WITH(read("wrong.gz"), ContainsSubstring("incorrect data check"));
}

TEST_CASE("append_exactly appends the next bytes of the source") {
  MemorySource source("memory", "abcdef");
  std::vector<std::byte> bytes;
  append_exactly(source, bytes, 2, "it");
  append_exactly(source, bytes, 3, "it");
  CHECK(bytes.size() == 5);
  CHECK(bytes[4] == std::byte{'e'});
  CHECK_THROWS_WITH(require_end(source), StartsWith("'memory' is longer than its header declares"));
  require_end(source);
  CHECK_THROWS_WITH(append_exactly(source, bytes, 1, "it"),
                    "'memory' is truncated (in it: 0 of 1 bytes). Copy or recreate it.");
}
