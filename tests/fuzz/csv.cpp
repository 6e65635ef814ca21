// Input parts: label columns, dropped columns, then files. Options: 0 and 1 the delimiter, 2 and 3 the header, 4 and 5
// the task.
// SPDX-License-Identifier: MIT
#include "data/import/csv.hpp"

#include "data/import/csv_records.hpp"
#include "imported.hpp"

using namespace sheaf;

namespace {

CsvOptions options_of(const fuzz::Input& input) {
  CsvOptions options;
  options.delimiter = "\0,;\t"[input.options & 3];
  if (input.option(2)) options.header = input.option(3);
  if (input.option(4)) options.task = input.option(5) ? Task::regression : Task::classification;
  if (!input.part(0).empty()) options.label = input.part(0);
  options.drop = input.part(1);
  return options;
}

// Reads a file in blocks; returns its records with their line numbers, and whether the end was reached.
std::string results_of(const std::string& file, std::size_t block_bytes) {
  MemorySource source("file", file);
  CsvRecords records(source, block_bytes);
  std::string all;
  const bool accepted = fuzz::accepts([&] {
    while (records.next()) all += std::to_string(records.line()) + ":" + std::string(records.text()) + "\n";
  });
  return all + (accepted ? "end" : "refused");
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const fuzz::Input input(data, size);
  std::vector<std::string> files;
  for (std::size_t index = 2; index < input.parts.size(); ++index) files.push_back(input.parts[index]);
  if (files.empty()) return 0;
  fuzz::must(results_of(files.front(), 3) == results_of(files.front(), 1 << 10),
             "records do not depend on the block size");
  ImportedData imported;
  if (fuzz::accepts([&] { imported = import_csv(fuzz::sources_of(files), options_of(input)); }))
    fuzz::must_be_sound(imported);
  return 0;
}
