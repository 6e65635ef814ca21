// Input parts: label columns, dropped columns, categorical columns, one byte of more options, then files. Options: 0
// and 1 the delimiter, 2 and 3 the header, 4 and 5 the task, 6 whether unknown texts are refused, 7 whether a column
// identifies the rows. More options: 0 to 2 the kind of missing cells, 3 and 4 the decimal separator, 5 whether only
// "x" means an empty cell, 6 whether column 1 has groups, 7 whether all columns are kept.
// SPDX-License-Identifier: MIT
#include "data/import/csv.hpp"

#include <cmath>
#include <cstring>
#include <vector>

#include "data/import/csv_records.hpp"
#include "data/import/csv_text.hpp"
#include "imported.hpp"

using namespace sheaf;

namespace {

CsvOptions options_of(const fuzz::Input& input) {
  using Kind = MissingCells::Kind;
  CsvOptions options;
  options.delimiter = "\0,;\t"[input.options & 3];
  if (input.option(2)) options.header = input.option(3);
  if (input.option(4)) options.task = input.option(5) ? Task::regression : Task::classification;
  options.refuses_unknown = input.option(6);
  if (input.option(7)) options.id = "0";
  if (!input.part(0).empty()) options.label = input.part(0);
  options.drop = input.part(1);
  options.categorical = input.part(2);
  const unsigned more = input.part(3).empty() ? 0 : static_cast<unsigned char>(input.part(3).front());
  constexpr Kind kinds[] = {Kind::median, Kind::mean, Kind::error, Kind::value,
                            Kind::drop,   Kind::mean, Kind::drop,  Kind::median};
  options.missing = {kinds[more & 7], -1.5};
  if ((more >> 3 & 3) == 1) options.decimal = '.';
  if ((more >> 3 & 3) == 2) options.decimal = ',';
  if ((more >> 5 & 1) != 0) {
    options.empty.add({"x"});
    options.empty.use_default(false);
  }
  if ((more >> 6 & 1) != 0) options.groups = "1";
  if ((more >> 7 & 1) != 0) options.keep = "0,1,2";
  return options;
}

// Reads a file in blocks; returns its records with their line numbers, and whether the end was reached.
std::string results_of(const std::string& file, const CsvSyntax& syntax, std::size_t block_bytes) {
  MemorySource source("file", file);
  CsvRecords records(source, syntax, block_bytes);
  std::string all;
  const bool accepted = fuzz::accepts([&] {
    while (records.next()) all += std::to_string(records.line()) + ":" + std::string(records.text()) + "\n";
  });
  return all + (accepted ? "end" : "refused");
}

// The decoded text, read in blocks; "refused" if it has zero bytes.
std::string text_of(const std::string& file, std::size_t sample_bytes, std::size_t block_bytes) {
  MemorySource source("file", file);
  std::string all, block(block_bytes, '\0');
  const bool accepted = fuzz::accepts([&] {
    CsvText text(source, sample_bytes, 1 << 20);
    for (std::size_t got = block_bytes; got == block_bytes;) {
      got = text.read(block.data(), block_bytes);
      all.append(block, 0, got);
    }
  });
  return accepted ? all : "refused";
}

// The features, with the numbers that fill empty cells of known columns. An import like other data stores these.
std::vector<float> filled_features(const ImportedData& data) {
  std::vector<float> values(data.features.elements());
  std::memcpy(values.data(), data.features.bytes.data(), data.features.bytes.size());
  const auto& columns = data.description.columns;
  for (std::size_t index = 0; index < values.size(); ++index)
    if (const auto& fill = columns[index % columns.size()].fill; std::isnan(values[index]) && fill)
      values[index] = static_cast<float>(*fill);
  return values;
}

bool are_equal(const std::vector<float>& a, const std::vector<float>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
}

// Imports the first file, then the others like it.
void import_like_first(const std::vector<std::string>& files, CsvOptions options) {
  ImportedData first;
  if (!fuzz::accepts([&] { first = import_csv(fuzz::sources_of({files.front()}), options); })) return;
  options.like = &first.description;
  options.like_name = "'first'";
  if (first.targets) options.task = is_real(first.targets->type) ? Task::regression : Task::classification;
  for (const auto& file : files) {
    ImportedData data;
    if (!fuzz::accepts([&] { data = import_csv(fuzz::sources_of({file}), options); })) {
      fuzz::must(&file != &files.front() || !options.label, "a file can be imported like itself");
      continue;
    }
    fuzz::must_be_sound(data);
    fuzz::must(data.description.columns == first.description.columns, "the columns are those of the first file");
    const bool are_classes = data.targets && !is_real(data.targets->type);
    fuzz::must(!are_classes || data.description.class_names == first.description.class_names,
               "the classes are those of the first file");
    if (&file != &files.front()) continue;
    fuzz::must(are_equal(filled_features(data), filled_features(first)),
               "importing a file like itself gives the same features");
    fuzz::must(!data.targets || !first.targets || data.targets->bytes == first.targets->bytes,
               "importing a file like itself gives the same targets");
  }
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const fuzz::Input input(data, size);
  std::vector<std::string> files;
  for (std::size_t index = 4; index < input.parts.size(); ++index) files.push_back(input.parts[index]);
  if (files.empty()) return 0;
  for (const CsvSyntax& syntax : {CsvSyntax{}, CsvSyntax{',', '\r'}})
    fuzz::must(results_of(files.front(), syntax, 3) == results_of(files.front(), syntax, 1 << 10),
               "records do not depend on the block size");
  fuzz::must(text_of(files.front(), 4, 3) == text_of(files.front(), 1 << 10, 1 << 10),
             "decoded text does not depend on the block size");
  ImportedData imported;
  if (fuzz::accepts([&] { imported = import_csv(fuzz::sources_of(files), options_of(input)); }))
    fuzz::must_be_sound(imported);
  import_like_first(files, options_of(input));
  return 0;
}
