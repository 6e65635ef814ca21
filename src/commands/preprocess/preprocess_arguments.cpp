// SPDX-License-Identifier: MIT
#include "commands/preprocess/preprocess_arguments.hpp"

#include <fmt/format.h>

#include <functional>
#include <map>

#include "commands/line/arguments.hpp"
#include "commands/line/data_file_names.hpp"
#include "core/error.hpp"
#include "core/text.hpp"

namespace sheaf {
namespace {

constexpr const char* usage = "Usage: sheaf preprocess IN.h5 OUT.h5 [--key=value ...] (see sheaf preprocess --help)";

constexpr std::int64_t longest_side = 65536;

struct Size {
  std::int64_t height, width;
};

// "64x48"
ValueType<Size> image_size() {
  ValueType<Size> type;
  type.values = type.allowed = fmt::format("HEIGHTxWIDTH, each 1 to {}", longest_side);
  type.read = [](const std::string& any_case) -> std::optional<Size> {
    const std::string text = lower_case(any_case);
    const std::size_t cross = text.find('x');
    if (cross == text.npos) return std::nullopt;
    const auto height = integer(1, longest_side).read(text.substr(0, cross));
    const auto width = integer(1, longest_side).read(text.substr(cross + 1));
    if (!height || !width) return std::nullopt;
    return Size{*height, *width};
  };
  return type;
}

ValueType<NumberType> number_type() {
  std::vector<std::pair<std::string, NumberType>> types;
  for (const auto type : {NumberType::uint8, NumberType::uint16, NumberType::uint32, NumberType::uint64,
                          NumberType::int8, NumberType::int16, NumberType::int32, NumberType::int64,
                          NumberType::float16, NumberType::float32, NumberType::float64})
    types.emplace_back(number_type_name(type), type);
  return choice(types);
}

// The options parsed so far.
struct Draft {
  PreprocessRequest request;
  bool has_unit = false;  // --per
};

using Apply = void (*)(Draft& draft, const std::string& key, const std::string& text);

const std::vector<std::pair<std::string, Apply>> keys = {
    {"resize",
     [](Draft& draft, const std::string& key, const std::string& text) {
       const Size size = option_value(image_size(), key, text);
       draft.request.steps.height = size.height;
       draft.request.steps.width = size.width;
     }},
    {"layout", [](Draft& draft, const std::string& key,
                  const std::string& text) { draft.request.steps.layout = option_value(channel_order(), key, text); }},
    {"channels",
     [](Draft& draft, const std::string& key, const std::string& text) {
       draft.request.steps.channels = option_value(channel_order(), key, text);
     }},
    {"normalize",
     [](Draft& draft, const std::string& key, const std::string& text) {
       const auto kinds = choice<Normalize>(
           {{"none", Normalize::none}, {"standard", Normalize::standard}, {"minmax", Normalize::minmax}});
       draft.request.steps.normalize = option_value(kinds, key, text);
     }},
    {"per",
     [](Draft& draft, const std::string& key, const std::string& text) {
       const auto units = choice<ScalingUnit>({{"feature", ScalingUnit::feature}, {"channel", ScalingUnit::channel}});
       draft.request.steps.unit = option_value(units, key, text);
       draft.has_unit = true;
     }},
    {"like", [](Draft& draft, const std::string& key,
                const std::string& text) { draft.request.like = option_value(non_empty_text(), key, text); }},
    {"cast", [](Draft& draft, const std::string& key,
                const std::string& text) { draft.request.steps.cast = option_value(number_type(), key, text); }},
    {"features", [](Draft& draft, const std::string& key,
                    const std::string& text) { draft.request.features = option_value(non_empty_text(), key, text); }},
    {"copy", [](Draft& draft, const std::string& key,
                const std::string& text) { draft.request.copy = option_value(flag(), key, text); }},
    {"chunk-rows",
     [](Draft& draft, const std::string& key, const std::string& text) {
       draft.request.chunk_rows = option_value(integer(1, max_rows), key, text);
     }},
    {"compression",
     [](Draft& draft, const std::string& key, const std::string& text) {
       draft.request.compression = static_cast<int>(option_value(integer(0, 9), key, text));
     }},
    {"overwrite", [](Draft& draft, const std::string& key,
                     const std::string& text) { draft.request.overwrite = option_value(flag(), key, text); }},
};

std::vector<std::string> key_names() {
  std::vector<std::string> names;
  for (const auto& [name, apply] : keys) names.push_back(name);
  return names;
}

}  // namespace

const LineOptions& preprocess_options() {
  static const LineOptions options{{}, key_names(), {}, {"copy", "overwrite"}};
  return options;
}

PreprocessRequest parse_preprocess_arguments(const std::vector<std::string>& arguments) {
  const Arguments command_line = parse_arguments("preprocess", preprocess_options(), arguments);
  Draft draft;
  for (const auto& [name, text] : command_line.assignments)
    for (const auto& [key, apply] : keys)
      if (key == name) apply(draft, name, text);
  const auto& files = command_line.positional;
  if (files.size() != 2)
    throw UsageError(fmt::format("'sheaf preprocess' needs an input file and an output file (it got {}). {}.",
                                 counted(static_cast<std::int64_t>(files.size()), "file name"), usage));
  draft.request.input = files[0];
  draft.request.output = files[1];
  if (!has_hdf5_ending(files[1]))
    throw UsageError(
        fmt::format("'{}' is not a valid output file name (the last name must end in .h5, .hdf5, .hdf or .he5). {}.",
                    files[1], usage));
  const TransformOptions& steps = draft.request.steps;
  if (draft.request.like && (draft.has_unit || steps.normalize != Normalize::none))
    throw UsageError(
        "--like cannot be combined with --normalize or --per (it takes the scaling of another file). Leave out one or "
        "the "
        "other.");
  if (draft.has_unit && steps.normalize == Normalize::none)
    throw UsageError("--per only works together with --normalize. Leave it out, or add --normalize.");
  return draft.request;
}

std::string preprocess_help() {
  return R"(Transforms a data file into a new one: resizes images, scales features, converts types, reorders channels,
changes chunks. Uses all cores of all ranks. Memory use depends on the chunk size, not on the file size. The order
of the steps does not depend on the order of the options:

    read -> to double -> resize -> normalize -> cast -> order of channels

  --resize=HEIGHTxWIDTH   resize images [rows, height, width], optionally with channels first or last, like
                          skimage.transform.resize(order=1, mode='reflect', preserve_range=True): values keep
                          their range (0..255 remains 0..255), and images are smoothed before they are reduced
                              sheaf preprocess photos.h5 small.h5 --resize=64x64
  --layout=first|last     position of the channels in IN.h5; default: as in the attribute `channels` of the data set,
                          otherwise the position of the dimension of size 1 to 4
                              sheaf preprocess maps.h5 small.h5 --resize=32x32 --layout=first
  --normalize=standard|minmax|none
                          scale to mean 0 and standard deviation 1, or to 0..1, as (value - shift) / divisor,
                          computed from all rows; constant features are only shifted. Texts of an imported table
                          and empty cells (NaN in tables) stay as they are. The data sets NAME_shift and NAME_divisor
                          (NAME: see --features) store the shift and the divisor
                              sheaf preprocess raw.h5 scaled.h5 --normalize=standard
  --per=feature|channel   scale each feature or each channel; default: feature
                              sheaf preprocess photos.h5 scaled.h5 --normalize=minmax --per=channel
  --like=SCALED.h5        scale with the shift and divisor stored in this file, an output of sheaf preprocess, so
                          that test and new data get the same scaling as the training data
                              sheaf preprocess test.h5 scaled-test.h5 --like=scaled.h5
  --cast=uint8|uint16|uint32|uint64|int8|int16|int32|int64|float16|float32|float64
                          integers: round to nearest, ties to even, and clip to the range of the type; NaN and
                          infinity are errors. float16, float32: values beyond the range become infinite.
                          Default: the type in IN.h5; float32 for integers that are resized or scaled
                              sheaf preprocess photos.h5 small.h5 --resize=64x64 --cast=uint8
  --channels=first|last   position of the channels in OUT.h5, also stored as the attribute channels of the data set;
                          default: as in IN.h5
                              sheaf preprocess photos.h5 planes.h5 --channels=first
  --chunk-rows=N          rows per chunk; default: about 1 MiB
                              sheaf preprocess table.h5 chunked.h5 --chunk-rows=4096
  --compression=0..9      gzip level of the features, after the shuffle filter; default: 0, no compression
                              sheaf preprocess table.h5 packed.h5 --compression=4
  --features=NAME         data set to process; default: features
                              sheaf preprocess all.h5 train.h5 --features=train/images --resize=64x64
  --copy=true|false       copy everything else in the file (targets, weights, groups, attributes), including the
                          data behind external links and virtual data sets, so that OUT.h5 needs no other file.
                          HDF5 references are left out; default: true
                              sheaf preprocess photos.h5 alone.h5 --resize=64x64 --copy=false
  --overwrite             replace an existing OUT.h5
                              sheaf preprocess photos.h5 small.h5 --resize=64x64 --overwrite

At the start, the disk must have room for the uncompressed result, even with --compression. OUT.h5 appears
only once it is complete. All nodes must see both files. OUT.h5 has the format of HDF5 1.10. Integers beyond 2^53 are rounded, since all numbers are
converted to double.
)";
}

}  // namespace sheaf
