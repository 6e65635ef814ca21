// SPDX-License-Identifier: MIT
#include "study/value_types.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>
#include <limits>
#include <sstream>
#include <system_error>
#include <utility>

#include "core/quoted.hpp"
#include "core/text.hpp"
#include "study/metrics.hpp"
#include "study/named_class.hpp"
#include "study/quoted_value.hpp"

namespace sheaf {
namespace {

constexpr std::int64_t largest_shown_limit = 1000;  // in help texts; larger ones only exclude mistakes
constexpr std::int64_t widest_layer = 1000000;
constexpr std::int64_t max_tasks = 1000000;

// Parses the complete text as a number, independent of the locale. Leading spaces and a plus sign are not allowed.
template <class Number>
std::optional<Number> whole_number(const std::string& text) {
  Number value{};
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc{} || stop != end) return std::nullopt;
  return value;
}

// `keyword` has lower-case letters.
bool is_keyword(const std::string& text, const std::string& keyword) {
  return lower_case(text) == keyword;
}

std::optional<std::int64_t> integer_between(const std::string& text, std::int64_t least, std::int64_t most) {
  const auto value = whole_number<std::int64_t>(text);
  return value && *value >= least && *value <= most ? value : std::nullopt;
}

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

std::optional<std::vector<std::int64_t>> read_widths(const std::string& text) {
  std::vector<std::int64_t> widths;
  if (is_keyword(text, "none")) return widths;
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    const auto width = integer_between(word, 1, widest_layer);
    if (!width) return std::nullopt;
    widths.push_back(*width);
  }
  return widths;
}

std::string trimmed(const std::string& text) {
  const std::size_t first = text.find_first_not_of(' ');
  return first == text.npos ? "" : text.substr(first, text.find_last_not_of(' ') + 1 - first);
}

std::vector<std::string> words_of_list(std::string text) {
  std::replace(text.begin(), text.end(), ',', ' ');
  std::istringstream words(text);
  return {std::istream_iterator<std::string>(words), {}};
}

// The metrics of a list. They are separated by commas or spaces, but the name of a class may have spaces.
std::vector<std::string> metrics_of_list(const std::string& text) {
  std::vector<std::string> metrics;
  std::istringstream parts(text);
  for (std::string part; std::getline(parts, part, ',');) {
    const auto words = words_of_list(part);
    const bool are_metrics =
        std::all_of(words.begin(), words.end(), [](const std::string& word) { return read_metric(word).has_value(); });
    const bool has_class = part.find(':') != std::string::npos;
    if (are_metrics || !has_class)
      metrics.insert(metrics.end(), words.begin(), words.end());
    else
      metrics.push_back(fmt::format("{}", fmt::join(words, " ")));
  }
  return metrics;
}

std::optional<std::vector<MetricChoice>> read_metrics(const std::string& text) {
  std::vector<MetricChoice> metrics;
  if (is_keyword(text, "none")) return metrics;
  if (text.find_first_of("\t\n\v\f\r") != std::string::npos) return std::nullopt;
  for (const std::string& word : metrics_of_list(text)) {
    auto metric = read_metric(word);
    if (!metric || std::count(metrics.begin(), metrics.end(), *metric) > 0) return std::nullopt;
    metrics.push_back(*std::move(metric));
  }
  return metrics;
}

// For the first metric of a list that is refused.
std::string metrics_hint(const std::string& text) {
  std::vector<std::string> before;
  for (const std::string& word : metrics_of_list(text)) {
    if (const auto metric = read_metric(word); !metric) {
      const std::string hint = metric_hint(word);
      for (const auto& [other, name] : other_names_of_metrics())
        if (lower_case(word) == other && name != "loss") return fmt::format(" Use {} for {}.", name, quoted(word));
      return hint.empty() ? fmt::format(" {} is none of them.", quoted(word)) : hint;
    }
    if (std::count(before.begin(), before.end(), word) > 0) return fmt::format(" {} occurs twice.", quoted(word));
    before.push_back(word);
  }
  return "";
}

constexpr std::size_t max_quantiles = 32;

std::optional<std::vector<double>> read_quantiles(const std::string& text) {
  static const auto quantile = number("number > 0 and < 1", [](double value) { return value > 0 && value < 1; });
  if (text.find_first_of("\t\n\v\f\r") != std::string::npos) return std::nullopt;
  std::vector<double> quantiles;
  for (const std::string& word : words_of_list(text)) {
    const auto value = quantile.read(word);
    if (!value || (!quantiles.empty() && *value <= quantiles.back())) return std::nullopt;
    quantiles.push_back(*value);
  }
  if (quantiles.empty() || quantiles.size() > max_quantiles) return std::nullopt;
  return quantiles;
}

constexpr std::pair<char, std::int64_t> time_units[] = {{'d', 86400}, {'h', 3600}, {'m', 60}, {'s', 1}};
constexpr std::int64_t longest_time = 10LL * 365 * 86400;

constexpr double largest_weight = 1e12;

// A weight follows the last colon: names may contain colons.
std::optional<ClassWeights> read_class_weights(const std::string& text) {
  if (is_keyword(text, "none")) return ClassWeights();
  if (is_keyword(text, "balanced")) return ClassWeights{true, {}};
  ClassWeights weights;
  std::istringstream entries(text + ',');
  for (std::string entry; std::getline(entries, entry, ',');) {
    const std::size_t colon = std::min(entry.rfind(':'), entry.size());
    const std::string name = trimmed(entry.substr(0, colon));
    const auto weight = whole_number<double>(trimmed(entry.substr(std::min(colon + 1, entry.size()))));
    const bool is_known = std::any_of(weights.of_classes.begin(), weights.of_classes.end(),
                                      [&](const ClassWeights::OfClass& known) { return known.name == name; });
    if (!is_class_text(name) || is_known || !weight || !(*weight >= 0 && *weight <= largest_weight))
      return std::nullopt;
    weights.of_classes.push_back({name, *weight});
  }
  return weights;
}

std::string class_weights_text(const ClassWeights& weights) {
  if (!weights.any()) return "none";
  if (weights.balanced) return "balanced";
  std::vector<std::string> entries;
  for (const auto& [name, weight] : weights.of_classes) entries.push_back(fmt::format("{}:{}", name, weight));
  return fmt::format("{}", fmt::join(entries, ", "));
}

// Adds `count` units to `seconds`. Returns false if the sum would exceed the longest time.
bool add_time(std::int64_t& seconds, std::int64_t count, std::int64_t unit) {
  if (count > (longest_time - seconds) / unit) return false;
  seconds += count * unit;
  return true;
}

// Parses a time as in Slurm: [[days-]hours:]minutes:seconds, days-hours or days-hours:minutes. As in Slurm, the numbers
// have no upper limit: 90:00 is an hour and a half.
std::optional<std::int64_t> read_slurm_time(const std::string& text) {
  const std::size_t dash = text.find('-');
  const bool has_days = dash != text.npos;
  std::vector<std::string> fields(1);
  for (const char letter : has_days ? text.substr(dash + 1) : text) {
    if (letter == ':')
      fields.emplace_back();
    else
      fields.back() += letter;
  }
  if (fields.size() > 3) return std::nullopt;
  const std::int64_t units[] = {3600, 60, 1};
  const std::size_t first_unit = has_days ? 0 : 3 - fields.size();
  std::int64_t seconds = 0;
  if (has_days) {
    const auto days = integer_between(text.substr(0, dash), 0, longest_time);
    if (!days || !add_time(seconds, *days, 86400)) return std::nullopt;
  }
  for (std::size_t field = 0; field < fields.size(); ++field) {
    const auto count = integer_between(fields[field], 0, longest_time);
    if (!count || !add_time(seconds, *count, units[first_unit + field])) return std::nullopt;
  }
  return seconds > 0 ? std::optional(seconds) : std::nullopt;
}

// Parses a time: as in Slurm, or such as "1h30m": numbers with units in descending order. The unit "s" of the last
// number is optional.
std::optional<std::int64_t> read_seconds(const std::string& any_case) {
  const std::string text = lower_case(any_case);
  if (text.find_first_of(":-") != text.npos) return read_slurm_time(text);
  std::int64_t seconds = 0;
  std::int64_t last_unit = longest_time;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find_first_not_of("0123456789", begin), text.size());
    const auto value = integer_between(text.substr(begin, end - begin), 0, longest_time);
    const char letter = end < text.size() ? text[end] : 's';
    const auto* unit = std::find_if(std::begin(time_units), std::end(time_units),
                                    [letter](const auto& entry) { return entry.first == letter; });
    if (!value || unit == std::end(time_units) || unit->second >= last_unit) return std::nullopt;
    last_unit = unit->second;
    if (!add_time(seconds, *value, last_unit)) return std::nullopt;
    begin = end + 1;
  }
  return seconds > 0 ? std::optional(seconds) : std::nullopt;
}

std::optional<TimeLimit> read_time_limit(const std::string& text) {
  if (is_keyword(text, "auto")) return TimeLimit{};
  if (is_keyword(text, "none")) return TimeLimit{TimeLimit::Kind::none, 0};
  const auto seconds = read_seconds(text);
  return seconds ? std::optional(TimeLimit{TimeLimit::Kind::seconds, *seconds}) : std::nullopt;
}

template <class Number>
ValueType<Number> with_times(ValueType<Number> type) {
  type.values += ", or a time such as 90s or 1:30:00";
  type.allowed += ", or a time such as 90s, 45m, 1h30m or 1:30:00";
  type.read = [read = type.read](const std::string& text) {
    const auto value = read(text);
    const auto seconds = value ? std::nullopt : read_seconds(text);
    return seconds ? read(fmt::format("{}", *seconds)) : value;
  };
  return type;
}

std::string time_limit_text(const TimeLimit& limit) {
  if (limit.kind == TimeLimit::Kind::automatic) return "auto";
  return limit.kind == TimeLimit::Kind::none ? "none" : fmt::format("{}s", limit.seconds);
}

std::optional<ArrayTask> read_array_task(const std::string& text) {
  if (is_keyword(text, "auto")) return ArrayTask{ArrayTask::Kind::automatic, 0, 1};
  if (is_keyword(text, "none")) return ArrayTask{};
  const std::size_t slash = std::min(text.find('/'), text.size());
  const auto task = integer_between(text.substr(0, slash), 0, max_tasks - 1);
  const auto tasks = slash < text.size() ? integer_between(text.substr(slash + 1), 1, max_tasks) : std::nullopt;
  if (!task || !tasks || *task >= *tasks) return std::nullopt;
  return ArrayTask{ArrayTask::Kind::fixed, *task, *tasks};
}

std::string array_task_text(const ArrayTask& array) {
  if (array.kind == ArrayTask::Kind::automatic) return "auto";
  return array.kind == ArrayTask::Kind::none ? "none" : fmt::format("{}/{}", array.task, array.tasks);
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

ValueType<std::vector<std::int64_t>> layer_widths() {
  ValueType<std::vector<std::int64_t>> type;
  type.values = "integers such as 64 32, or none";
  type.allowed = fmt::format("integers from 1 to {} separated by spaces, or none", widest_layer);
  type.read = read_widths;
  type.write = [](const std::vector<std::int64_t>& widths) -> std::string {
    return widths.empty() ? "none" : fmt::format("{}", fmt::join(widths, " "));
  };
  return type;
}

ValueType<std::vector<MetricChoice>> metric_list() {
  ValueType<std::vector<MetricChoice>> type;
  type.values = "names of metrics, or none";
  type.allowed =
      fmt::format("different names of {}, separated by commas or spaces, or none", fmt::join(metric_patterns(), ", "));
  type.advice = metrics_hint;
  type.read = read_metrics;
  type.write = [](const std::vector<MetricChoice>& metrics) -> std::string {
    std::vector<std::string> written;
    for (const MetricChoice& metric : metrics) written.push_back(metric.name());
    return written.empty() ? "none" : fmt::format("{}", fmt::join(written, ", "));
  };
  return type;
}

ValueType<ClassWeights> class_weights() {
  ValueType<ClassWeights> type;
  type.values = "none | balanced | weights such as cat:2, dog:0.5";
  type.allowed = type.values +
                 " (each class once, by its name, or by its number if the name has a comma, a quote or '#'; "
                 "weights from 0 to 1e12)";
  type.names = {"none", "balanced"};
  type.read = read_class_weights;
  type.write = class_weights_text;
  return type;
}

ValueType<std::optional<MetricChoice>> metric_or_loss() {
  ValueType<std::optional<MetricChoice>> type;
  type.values = type.allowed = fmt::format("loss | {}", fmt::join(metric_patterns(), " | "));
  type.advice = [](const std::string& text) {
    const std::string hint = metric_hint(text);
    return hint.empty() ? did_you_mean(text, {"loss"}) : hint;
  };
  type.read = [](const std::string& text) -> std::optional<std::optional<MetricChoice>> {
    if (is_keyword(text, "loss")) return std::optional<MetricChoice>();
    auto metric = read_metric(text);
    if (!metric) return std::nullopt;
    return std::make_optional(std::move(metric));
  };
  type.write = [](const std::optional<MetricChoice>& metric) { return metric ? metric->name() : "loss"; };
  return type;
}

ValueType<std::string> metric_or_loss_text() {
  const auto metric = metric_or_loss();
  ValueType<std::string> type{metric.values, metric.allowed, {}, {}, {}, metric.advice};
  type.read = [metric](const std::string& text) -> std::optional<std::string> {
    const auto chosen = metric.read(text);
    return chosen ? std::optional(metric.write(*chosen)) : std::nullopt;
  };
  type.write = [](const std::string& text) { return text; };
  return type;
}

ValueType<std::vector<double>> quantile_list() {
  ValueType<std::vector<double>> type;
  type.values = "ascending numbers > 0 and < 1";
  type.allowed =
      fmt::format("at most {} numbers > 0 and < 1 in ascending order, separated by commas or spaces", max_quantiles);
  type.read = read_quantiles;
  type.write = [](const std::vector<double>& quantiles) { return fmt::format("{}", fmt::join(quantiles, " ")); };
  return type;
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
  static const auto names = choice<ModelKind>({{"auto", ModelKind::automatic},
                                               {"linear", ModelKind::linear},
                                               {"mlp", ModelKind::mlp},
                                               {"cnn", ModelKind::cnn},
                                               {"resnet18", ModelKind::resnet18},
                                               {"resnet50", ModelKind::resnet50}});
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

  return type;
}

ValueType<TimeLimit> time_limit() {
  ValueType<TimeLimit> type;
  type.values = "time, auto or none";
  type.allowed =
      "auto, none, or a time such as 90s, 45m, 1h30m, 1:30:00 or 2-12:00 (days-hours:minutes); a number alone is "
      "seconds";
  type.read = read_time_limit;
  type.write = time_limit_text;
  return type;
}

ValueType<std::int64_t> or_time(ValueType<std::int64_t> type) {
  return with_times(std::move(type));
}

ValueType<double> or_time(ValueType<double> type) {
  return with_times(std::move(type));
}

ValueType<ArrayTask> array_task() {
  ValueType<ArrayTask> type;
  type.values = "K/N, auto or none";
  type.allowed = "none, auto, or K/N for task K of 0..N-1, such as 0/3, 1/3, 2/3";
  type.read = read_array_task;
  type.write = array_task_text;
  return type;
}

}  // namespace sheaf
