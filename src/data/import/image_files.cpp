// SPDX-License-Identifier: MIT
#include "data/import/image_files.hpp"

#include <fmt/format.h>

#include <cassert>
#include <cstring>

#include "core/error.hpp"
#include "files/byte_order.hpp"
#include "files/hdf5/data_set.hpp"

namespace sheaf {
namespace {

NumberType idx_type(int code, const std::string& name) {
  switch (code) {
    case 0x08:
      return NumberType::uint8;
    case 0x09:
      return NumberType::int8;
    case 0x0b:
      return NumberType::int16;
    case 0x0c:
      return NumberType::int32;
    case 0x0d:
      return NumberType::float32;
    case 0x0e:
      return NumberType::float64;
    default:
      throw RunError(
          fmt::format("'{}' is not an IDX file (its third byte, the type, is {:#04x}). Pass images and labels in the "
                      "format of MNIST.",
                      name, code));
  }
}

// Reads the header: two zeros, the type, the rank, then the extents, big-endian. Returns an array without values.
NumberArray read_idx_header(ByteSource& source) {
  unsigned char opening[4] = {};
  read_exactly(source, opening, sizeof opening, "its header");
  require(opening[0] == 0 && opening[1] == 0 && opening[3] >= 1 && opening[3] <= 8,
          fmt::format(
              "'{}' is not an IDX file (it does not begin with an IDX header). Pass images and labels in the format of "
              "MNIST.",
              source.name()));
  NumberArray array{idx_type(opening[2], source.name()), {}, {}};
  for (int dimension = 0; dimension < opening[3]; ++dimension) {
    unsigned char extent[4] = {};
    read_exactly(source, extent, sizeof extent, "its header");
    array.shape.push_back(static_cast<std::int64_t>(read_unsigned(extent, sizeof extent, true)));
  }
  return array;
}

NumberArray read_idx(ByteSource& source) {
  NumberArray array = read_idx_header(source);
  const auto bytes = array_bytes(array.shape, number_bytes(array.type));
  require(bytes.has_value(),
          fmt::format("'{}' is not an IDX file (its shape {} has too many values). Copy or recreate it.", source.name(),
                      shape_text(array.shape)));
  append_exactly(source, array.bytes, *bytes, "its numbers");
  require_end(source);
  to_machine_order(array.bytes, number_bytes(array.type), true);
  return array;
}

// Appends the rows of `part`, which were read from the file `name`.
void append_rows(NumberArray& whole, NumberArray part, const std::string& name) {
  if (whole.shape.empty()) {
    whole = std::move(part);
    return;
  }
  std::vector<std::int64_t> shape = part.shape;
  shape.front() = whole.rows();
  require(part.type == whole.type && shape == whole.shape,
          fmt::format("'{}' {} {} does not match the files before it, {} {} (all rows must have the same shape and "
                      "type). Import it separately.",
                      name, shape_text(part.shape), number_type_name(part.type), shape_text(whole.shape),
                      number_type_name(whole.type)));
  whole.shape.front() += part.rows();
  whole.bytes.insert(whole.bytes.end(), part.bytes.begin(), part.bytes.end());
}

constexpr std::size_t cifar_pixels = std::size_t{3} * 32 * 32;
constexpr std::size_t cifar_record = 1 + cifar_pixels;

// The classes of CIFAR-10. Source: batches.meta.txt of the data set.
const std::vector<std::string> cifar_classes = {"airplane", "automobile", "bird",  "cat",  "deer",
                                                "dog",      "frog",       "horse", "ship", "truck"};

}  // namespace

ImportedData import_idx(const std::vector<std::unique_ptr<ByteSource>>& sources, const KnownNames& known) {
  assert(!sources.empty() && sources.size() % 2 == 0);
  ImportedData data;
  NumberArray all_labels;
  for (std::size_t pair = 0; pair < sources.size(); pair += 2) {
    ByteSource& images_source = *sources[pair];
    ByteSource& labels_source = *sources[pair + 1];
    ImportedData part;
    part.features = read_idx(images_source);
    if (part.features.shape.size() == 3) {
      part.features.shape.insert(part.features.shape.begin() + 1, 1);
      data.channels = ChannelOrder::first;
    }
    NumberArray labels = read_idx(labels_source);
    require(labels.shape.size() == 1,
            fmt::format("'{}' {} does not contain labels (their shape is [rows]). Pass the files in the order images, "
                        "labels.",
                        labels_source.name(), shape_text(labels.shape)));
    part.targets = std::move(labels);
    require_fit(part, images_source.name(), labels_source.name());
    append_rows(data.features, std::move(part.features), images_source.name());
    append_rows(all_labels, std::move(*part.targets), labels_source.name());
  }
  const TargetOptions options{Task::classification, known};
  data.set_targets(as_targets(std::move(all_labels), options, sources[1]->name()), options.task_option);
  return data;
}

ImportedData import_cifar10(const std::vector<std::unique_ptr<ByteSource>>& sources, const KnownNames& known) {
  ImportedData data;
  data.features = {NumberType::uint8, {0, 3, 32, 32}, {}};
  data.channels = ChannelOrder::first;
  std::vector<std::int64_t> labels;
  for (const auto& source : sources) {
    std::int64_t rows = 0;
    std::byte record[cifar_record];
    for (std::size_t got = source->read(record, cifar_record); got > 0; got = source->read(record, cifar_record)) {
      require(got == cifar_record, [&] {
        return fmt::format("'{}' is not a CIFAR-10 file ({} bytes follow after {} records of {} bytes). Copy it again.",
                           source->name(), got, rows, cifar_record);
      });
      require(record[0] < std::byte{10}, [&] {
        return fmt::format(
            "'{}' is not a CIFAR-10 file (record {} has the label {}, but labels are 0 to 9). Copy it again.",
            source->name(), rows, static_cast<int>(record[0]));
      });
      labels.push_back(std::to_integer<std::int64_t>(record[0]));
      data.features.bytes.insert(data.features.bytes.end(), record + 1, record + cifar_record);
      ++rows;
    }
    require(rows > 0,
            fmt::format("'{}' is empty (it has no records). Use a file with at least one row.", source->name()));
    data.features.shape.front() += rows;
  }
  const bool has_names = known && !known->empty();
  if (has_names) {
    const KnownClasses known_classes(*known, fmt::format("of '{}'", sources.front()->name()));
    for (std::int64_t& label : labels) label = known_classes.find(cifar_classes[static_cast<std::size_t>(label)]);
  }
  data.set_targets({label_array(labels), has_names ? *known : cifar_classes, false}, TargetOptions().task_option);
  return data;
}

}  // namespace sheaf
