// SPDX-License-Identifier: MIT
#include "study/value_types.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <sstream>
#include <utility>

#include "study/quoted_value.hpp"
#include "study/value_parsing.hpp"

namespace sheaf {
namespace {

constexpr std::int64_t largest_shown_limit = 1000;  // in help texts; larger ones only exclude mistakes
constexpr std::int64_t widest_layer = 1000000;

// Whether a value without quotes has control characters, or spaces at its ends, which are probably not meant.
bool needs_quotes(const std::string& value) {
  const auto is_control = [](unsigned char c) { return c < 0x20 || c == 0x7f; };
  if (value.empty() || value.front() == '"') return false;
  return value.front() == ' ' || value.back() == ' ' || std::any_of(value.begin(), value.end(), is_control);
}

ValueType<std::string> text_that(const std::string& description, bool (*allowed)(const std::string&)) {
  ValueType<std::string> type;
  type.values = "text";
  type.allowed = description;
  type.read = [allowed](const std::string& value) {
    auto text = needs_quotes(value) ? std::nullopt : unquoted_value(value);
    return text && allowed(*text) ? std::move(text) : std::nullopt;
  };
  type.write = quoted_value;
  return type;
}

std::optional<std::vector<std::int64_t>> read_integers(const std::string& text, std::int64_t minimum,
                                                       std::int64_t maximum) {
  std::vector<std::int64_t> numbers;
  if (is_keyword(text, "none")) return numbers;
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    const auto number = integer_between(word, minimum, maximum);
    if (!number) return std::nullopt;
    numbers.push_back(*number);
  }
  return numbers;
}

std::optional<ImageShape> read_image(const std::string& any_case) {
  const std::string text = lower_case(any_case);
  if (text == "auto") return ImageShape{};
  const std::size_t first = text.find('x');
  const std::size_t second = first == std::string::npos ? first : text.find('x', first + 1);
  if (second == std::string::npos) return std::nullopt;
  const auto side = [](const std::string& part) { return integer_between(part, 1, widest_layer); };
  const auto channels = side(text.substr(0, first));
  const auto height = side(text.substr(first + 1, second - first - 1));
  const auto width = side(text.substr(second + 1));
  if (!channels || !height || !width) return std::nullopt;
  return ImageShape{*channels, *height, *width};
}

}  // namespace

ValueType<std::int64_t> integer(std::int64_t least, std::int64_t most) {
  ValueType<std::int64_t> type;
  type.allowed = fmt::format("integer from {} to {}", least, most);
  type.values = most <= largest_shown_limit ? type.allowed : fmt::format("integer >= {}", least);
  type.read = [=](const std::string& text) { return integer_between(text, least, most); };
  type.write = [](std::int64_t value) { return fmt::format("{}", value); };
  return type;
}

ValueType<std::int64_t> odd_integer(std::int64_t least, std::int64_t most) {
  ValueType<std::int64_t> type = integer(least, most);
  type.values = "odd " + type.values;
  type.allowed = "odd " + type.allowed;
  type.read = [=](const std::string& text) {
    const auto value = integer_between(text, least, most);
    return value && *value % 2 != 0 ? value : std::nullopt;
  };
  return type;
}

ValueType<std::int64_t> integer_or(const std::string& keyword, std::int64_t least, std::int64_t most) {
  ValueType<std::int64_t> type = integer(least, most);
  type.values += ", or " + keyword;
  type.allowed += ", or " + keyword;
  type.read = [=](const std::string& text) {
    return is_keyword(text, keyword) ? std::optional<std::int64_t>(0) : integer_between(text, least, most);
  };
  type.write = [=](std::int64_t value) { return value == 0 ? keyword : fmt::format("{}", value); };
  return type;
}

ValueType<std::uint64_t> any_unsigned_integer() {
  ValueType<std::uint64_t> type;
  type.values = "integer >= 0";
  type.allowed = fmt::format("integer from 0 to {}", std::numeric_limits<std::uint64_t>::max());
  type.read = whole_number<std::uint64_t>;
  type.write = [](std::uint64_t value) { return fmt::format("{}", value); };
  return type;
}

ValueType<double> number_or(const std::string& keyword, double least, double most) {
  ValueType<double> type;
  type.values = fmt::format("number >= {}, or {}", least, keyword);
  type.allowed = fmt::format("number from {} to {}, or {}", least, most, keyword);
  type.read = [=](const std::string& text) {
    if (is_keyword(text, keyword)) return std::optional<double>(0);
    const auto value = whole_number<double>(text);
    return value && *value >= least && *value <= most ? value : std::nullopt;
  };
  type.write = [=](double value) { return value == 0 ? keyword : fmt::format("{}", value); };
  return type;
}

ValueType<double> number(const std::string& values, bool (*allowed)(double)) {
  ValueType<double> type;
  type.values = type.allowed = values;
  type.read = [allowed](const std::string& text) {
    const auto value = whole_number<double>(text);
    return value && std::isfinite(*value) && allowed(*value) ? value : std::nullopt;
  };
  type.write = [](double value) { return fmt::format("{}", value); };
  return type;
}

ValueType<bool> flag() {
  ValueType<bool> type = choice<bool>({{"true", true},
                                       {"false", false},
                                       {"yes", true},
                                       {"no", false},
                                       {"on", true},
                                       {"off", false},
                                       {"1", true},
                                       {"0", false}});
  type.values = type.allowed = "true | false";
  return type;
}

ValueType<std::string> text() {
  return text_that("text (with control characters or outer spaces in double quotes)",
                   [](const std::string&) { return true; });
}

ValueType<std::string> non_empty_text() {
  return text_that("non-empty text (with control characters or outer spaces in double quotes)",
                   [](const std::string& text) { return !text.empty(); });
}

ValueType<std::string> name_or_none() {
  ValueType<std::string> type = non_empty_text();
  type.values = "name | none";
  type.allowed = type.allowed + " | none";
  type.read = [read = std::move(type.read)](const std::string& text) -> std::optional<std::string> {
    return lower_case(text) == "none" ? std::string() : read(text);
  };
  type.write = [write = std::move(type.write)](const std::string& name) { return name.empty() ? "none" : write(name); };
  return type;
}

ValueType<std::string> directory_name() {
  return text_that("non-empty text without '/', control characters or a leading dot", [](const std::string& text) {
    const auto is_forbidden = [](unsigned char c) { return c < 0x20 || c == 0x7f || c == '/'; };
    return !text.empty() && text.front() != '.' && std::none_of(text.begin(), text.end(), is_forbidden);
  });
}

ValueType<std::vector<std::int64_t>> integers(std::int64_t minimum, std::int64_t maximum, const std::string& example) {
  ValueType<std::vector<std::int64_t>> type;
  type.values = fmt::format("integers such as {}, or none", example);
  type.allowed = fmt::format("integers from {} to {} separated by spaces, or none", minimum, maximum);
  type.read = [=](const std::string& text) { return read_integers(text, minimum, maximum); };
  type.write = [](const std::vector<std::int64_t>& numbers) -> std::string {
    return numbers.empty() ? "none" : fmt::format("{}", fmt::join(numbers, " "));
  };
  return type;
}

ValueType<std::vector<std::int64_t>> layer_widths() {
  return integers(1, widest_layer, "64 32");
}

ValueType<ImageShape> image_shape() {
  ValueType<ImageShape> type;
  type.values = type.allowed = "CxHxW such as 1x8x8, or auto";
  type.read = read_image;
  type.write = [](const ImageShape& image) -> std::string {
    return image.channels == 0 ? "auto" : fmt::format("{}x{}x{}", image.channels, image.height, image.width);
  };
  return type;
}

ValueType<ChannelOrder> channel_order() {
  return choice<ChannelOrder>({{"first", ChannelOrder::first}, {"last", ChannelOrder::last}});
}

std::string name_of(ChannelOrder order) {
  return channel_order().write(order);
}

ValueType<ModelSource> model_source() {
  static const auto names = choice_or_auto<ModelKind>({{"linear", ModelKind::linear},
                                                       {"mlp", ModelKind::mlp},
                                                       {"cnn", ModelKind::cnn},
                                                       {"resnet18", ModelKind::resnet18},
                                                       {"resnet50", ModelKind::resnet50},
                                                       {"boosted_trees", ModelKind::boosted_trees}});
  static const auto prefixes =
      choice<ModelKind>({{"torchscript", ModelKind::torchscript}, {"plugin", ModelKind::plugin}});
  ValueType<ModelSource> type;
  type.values = type.allowed = names.values + " | torchscript:FILE.pt | plugin:FILE.so";
  type.names = names.names;
  type.read = [](const std::string& text) -> std::optional<ModelSource> {
    if (const auto kind = names.read(text)) return ModelSource{*kind, ""};
    const std::size_t colon = std::min(text.find(':'), text.size());
    const auto kind = prefixes.read(text.substr(0, colon));
    const auto file = colon < text.size() ? non_empty_text().read(text.substr(colon + 1)) : std::nullopt;
    return kind && file ? std::optional(ModelSource{*kind, *file}) : std::nullopt;
  };
  type.write = [](const ModelSource& source) {
    return source.file.empty() ? names.write(source.kind)
                               : prefixes.write(source.kind) + ":" + quoted_value(source.file);
  };
  type.path_begin = [](const std::string& text) {
    const std::size_t colon = text.find(':');
    return colon == text.npos ? text.npos : colon + 1;
  };

  return type;
}

}  // namespace sheaf
