// SPDX-License-Identifier: MIT
#include "data/target_coding.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <string_view>

#include "core/error.hpp"
#include "core/interruption.hpp"
#include "core/quoted.hpp"
#include "core/text.hpp"
#include "data/text_classes.hpp"
#include "parallel/mpi/agreement.hpp"

namespace sheaf {
namespace {

constexpr std::int64_t no_row = std::numeric_limits<std::int64_t>::max();

// What rows of targets contain.
struct Seen {
  std::int64_t other_row = no_row;  // first row with another value than 0 and 1; the members below are then not known
  std::int64_t odd_row = no_row;    // first row without exactly one 1
  std::int64_t ones = 0;            // in that row

  bool is_binary() const { return other_row == no_row; }
  bool is_one_hot() const { return is_binary() && odd_row == no_row; }
};

Seen look_at(const StoredRows& stored, IndexRange rows, RowBuffers& buffers) {
  const std::int64_t width = stored.info().row_elements();
  std::vector<double> values(static_cast<std::size_t>(rows.count() * width));
  stored.read(rows, values.data(), buffers);
  Seen seen;
  for (std::int64_t row = rows.begin; row < rows.end; ++row) {
    const double* begin = values.data() + (row - rows.begin) * width;
    const std::int64_t found = one_hot_class(begin, width);
    if (found == -1) return {row, no_row, 0};
    if (found < 0 && seen.odd_row == no_row) seen = {no_row, row, std::count(begin, begin + width, 1.0)};
  }
  return seen;
}

// Looks at all rows, each rank at a part of them. Collective.
Seen look_at_all(const DataOptions& options, const Communicator& world) {
  Seen all;
  agree(world, [&] {
    const StoredRows stored(options.file, options.targets);
    RowBuffers buffers;
    const IndexRange blocks = split_evenly(stored.block_count(), world.size(), world.rank());
    for (std::int64_t number = blocks.begin; number < blocks.end && all.is_binary(); ++number) {
      leave_if_interrupted();
      const Seen seen = look_at(stored, stored.block(number), buffers);
      all.other_row = seen.other_row;
      if (all.odd_row == no_row) all.odd_row = seen.odd_row, all.ones = seen.ones;
    }
  });
  const std::int64_t first = world.minimum(all.odd_row);
  const std::int64_t ones = world.maximum(all.odd_row == first ? all.ones : -1);
  return {world.minimum(all.other_row), first, ones};
}

// Whether the first rows have only zeros and ones. Collective.
bool may_be_binary(const DataOptions& options, const FileSchema& schema, const Communicator& world) {
  constexpr std::int64_t max_rows = 1000, max_values = 1 << 20;
  bool may_be = false;
  agree(world, [&] {
    if (!world.is_root()) return;
    const StoredRows stored(options.file, options.targets);
    RowBuffers buffers;
    const std::int64_t most = std::clamp<std::int64_t>(max_values / schema.target_columns, 1, max_rows);
    may_be = look_at(stored, {0, std::min(most, schema.rows)}, buffers).is_binary();
  });
  return world.maximum(std::int64_t{may_be}) > 0;
}

// Throws RunError if the values do not fit data.task. `name`: of the data set, in messages.
void require_fitting_values(const DataOptions& options, const Seen& seen, const std::string& name) {
  require(seen.is_binary() || options.task != Task::multilabel, [&] {
    return fmt::format(
        "{} has another value than 0 and 1 in row {} (data.task = multilabel needs a 1 for each label that the row "
        "has, and otherwise 0). Correct it, or set data.task = regression.",
        name, seen.other_row);
  });
  const bool needs_classes = options.task == Task::classification || options.classes > 0;
  if (options.task == Task::multilabel || !needs_classes) return;
  require(!seen.is_binary() || seen.is_one_hot(), [&] {
    return fmt::format(
        "{} has several labels per row, or none: only zeros and ones, and {} ones in row {} (one-hot targets have "
        "exactly one). Store one label per row, or set data.task = multilabel{}.",
        name, seen.ones, seen.odd_row, options.classes > 0 ? " without data.classes" : "");
  });
  require(seen.is_binary() || options.task != Task::classification, [&] {
    return fmt::format(
        "{} is not a list of class labels (data.task = classification needs [rows], [rows, 1] or one-hot rows). "
        "Store one label per row, or set data.task = regression.",
        name);
  });
}

// Throws RunError if the names of a file do not fit its labels.
void require_fitting_names(const FileSchema& schema, const std::string& name) {
  require(schema.description.class_names.empty(), [&] {
    return fmt::format(
        "{} has several labels per row, whose names are not those of classes (attribute class_names). Name the "
        "attribute target_names.",
        name);
  });
  std::vector<std::string> sorted = schema.description.target_names;
  const auto names = static_cast<std::int64_t>(sorted.size());
  std::sort(sorted.begin(), sorted.end());
  const auto twice = std::adjacent_find(sorted.begin(), sorted.end());
  require(twice == sorted.end(), [&] {
    return fmt::format("{} has two labels with the name {} (attribute target_names). Rename one.", name,
                       quoted(*twice));
  });
  require(names == 0 || names == schema.target_columns, [&] {
    return fmt::format("{} has {} labels, but its attribute target_names has {}. Correct it.", name,
                       schema.target_columns, counted(names, "name"));
  });
}

}  // namespace

void settle_target_coding(const DataOptions& requested, FileSchema& schema, const Communicator& world) {
  DataOptions options = requested;
  if (options.task == automatic && options.classes == 0 && schema.description.is_multilabel)
    options.task = Task::multilabel;
  const bool has_outputs = schema.targets.shape.size() == 2 && schema.target_columns > 1;
  if (schema.coding == TargetCoding::texts || options.task == Task::regression || !has_outputs) return;
  const std::string name =
      fmt::format("Data set '{}' {} of '{}'", options.targets, shape_text(schema.targets.shape), options.file);
  const bool looks = options.task == Task::multilabel || may_be_binary(options, schema, world);
  const Seen seen = looks ? look_at_all(options, world) : Seen{0, no_row, 0};
  const bool is_multilabel = options.task == Task::multilabel || !seen.is_one_hot();
  agree(world, [&] {
    require_fitting_values(options, seen, name);
    if (seen.is_binary() && is_multilabel) require_fitting_names(schema, name);
    const std::int64_t known = schema.classes;
    require(!seen.is_binary() || is_multilabel || known == 0 || known == schema.target_columns, [&] {
      return fmt::format(
          "{} is one-hot with {} classes, not {} (data.classes or the attribute class_names). Correct it.", name,
          schema.target_columns, known);
    });
  });
  if (!seen.is_binary()) return;
  schema.coding = is_multilabel ? TargetCoding::multilabel : TargetCoding::one_hot;
  if (is_multilabel) return;
  schema.classes = schema.target_columns;
  DataDescription& description = schema.description;
  if (description.class_names.empty() && static_cast<std::int64_t>(description.target_names.size()) == schema.classes)
    description.class_names = description.target_names;
}

namespace {

// The texts of all ranks of the node. Collective.
std::vector<std::string> gather_texts(const std::vector<std::string>& own, const Communicator& node) {
  std::vector<char> joined;  // texts have no zero bytes
  for (const auto& text : own) joined.insert(joined.end(), text.c_str(), text.c_str() + text.size() + 1);
  joined = node.all_gather(joined);
  std::vector<std::string> texts;
  for (std::size_t begin = 0; begin < joined.size(); begin += texts.back().size() + 1)
    texts.emplace_back(joined.data() + begin);
  return texts;
}

}  // namespace

std::vector<std::string> read_text_labels(const StoredRows& stored, const FileSchema& schema, const Communicator& world,
                                          const Communicator& node, std::int64_t* labels) {
  const IndexRange blocks = split_evenly(stored.block_count(), node.size(), node.rank());
  TextClasses own;
  agree(world, [&] {
    for (std::int64_t number = blocks.begin; number < blocks.end; ++number) {
      leave_if_interrupted();
      std::int64_t row = stored.block(number).begin;
      for (const auto& text : stored.read_texts(stored.block(number)))
        labels[row++] = own.add(text, stored.description());
    }
  });
  std::vector<std::string> names = class_names_of(gather_texts(own.texts(), node));
  std::vector<std::int64_t> classes = classes_of(own.texts(), names);
  agree(world, [&] {
    require(names.size() <= max_class_names, [&] {
      return fmt::format("The {} has more than {} different texts (too many classes). Use labels that name classes.",
                         stored.description(), max_class_names);
    });
    const auto& known = schema.description.class_names;
    const auto count = static_cast<std::int64_t>(names.size());
    require(!known.empty() || schema.classes == 0 || schema.classes == count, [&] {
      return fmt::format("The {} has {} different texts, not data.classes = {}. Leave out data.classes.",
                         stored.description(), count, schema.classes);
    });
    if (known.empty()) return;
    for (std::size_t number = 0; number < classes.size(); ++number) {
      const std::string& text = own.texts()[number];
      const auto found = std::find(known.begin(), known.end(), text);
      require(found != known.end(), [&] {
        const std::string known_by = schema.classes_of.empty() ? "in its attribute class_names"
                                                               : fmt::format("a class of '{}'", schema.classes_of);
        return fmt::format("The {} contains {}, which is not {}.{} Correct one of them.", stored.description(),
                           quoted(text), known_by, did_you_mean(text, known));
      });
      classes[number] = found - known.begin();
    }
  });
  if (!blocks.empty())
    for (std::int64_t row = stored.block(blocks.begin).begin; row < stored.block(blocks.end - 1).end; ++row)
      labels[row] = classes[static_cast<std::size_t>(labels[row])];
  return schema.description.class_names.empty() ? names : schema.description.class_names;
}

}  // namespace sheaf
