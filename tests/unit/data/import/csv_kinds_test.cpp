// SPDX-License-Identifier: MIT
#include "data/import/csv_kinds.hpp"

#include "support/catch.hpp"

using namespace sheaf;

namespace {

using Texts = std::vector<std::string>;

ColumnKind kind(const Texts& cells) {
  const EmptyCells empty;
  ColumnEvidence evidence;
  for (const auto& cell : cells) evidence.add(cell, empty);
  return kind_of(evidence, std::nullopt);
}

// "x0", "x1", ...
Texts counted(const std::string& before, int count, const std::string& after = "") {
  Texts texts;
  for (int number = 0; number < count; ++number) texts.push_back(before + std::to_string(number) + after);
  return texts;
}

Texts operator+(Texts a, const Texts& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

}  // namespace

TEST_CASE("a column of numbers with a few bad cells is a column of numbers") {
  CHECK(kind({"1.5", "2", "NA", "-"}) == ColumnKind::number);
  CHECK(kind(counted("", 20) + Texts{"<1.0", "abc"}) == ColumnKind::number);
  CHECK(kind({"$1,011", "$950"}) == ColumnKind::number);
  CHECK(kind({"", "NA", "."}) == ColumnKind::undecided);
}

TEST_CASE("texts are categories, even if some are numbers") {
  CHECK(kind({"red", "blue", "red"}) == ColumnKind::text);
  CHECK(kind({"A", "B", "12", "C", "NA"}) == ColumnKind::text);
  CHECK(kind({"<18", "18-25", "26-40", ">40", "<18"}) == ColumnKind::text);
}

TEST_CASE("texts that nearly all differ are identifiers, unless they are few") {
  CHECK(kind(counted("name ", 40)) == ColumnKind::identifier);
  CHECK(kind(counted("name ", 20)) == ColumnKind::text);
  CHECK(kind(counted("name ", 20) + counted("name ", 20)) == ColumnKind::text);
}

TEST_CASE("dates are a kind of their own") {
  CHECK(kind({"2019-03-01", "2020-01-07", ""}) == ColumnKind::date);
  CHECK(kind({"2019-03-01", "red", "blue"}) == ColumnKind::text);
  CHECK(kind({"1/2/2019", "3/31/2019", "-"}) == ColumnKind::date);
  CHECK(kind({"1/2/2019", "3/3/2019"}) == ColumnKind::other_date);
  CHECK(kind({"2019-03-01", "2019-02-29"}) == ColumnKind::other_date);
  CHECK(kind({"2019-03-01", "2019-03-02", "2019"}) == ColumnKind::other_date);
  CHECK(kind({"10:30", "11:45:00"}) == ColumnKind::other_date);
  CHECK(kind({"2019", "2020"}) == ColumnKind::number);
  CHECK(kind({"20190301", "20200107"}) == ColumnKind::number);
}

TEST_CASE("many texts that resemble numbers, and numbers without a common form, are unclear") {
  CHECK(kind(counted("", 20, " kg")) == ColumnKind::unclear);
  CHECK(kind(counted("<", 20)) == ColumnKind::unclear);
  CHECK(kind({"5 kg", "10 kg", "5 kg"}) == ColumnKind::text);
  CHECK(kind(Texts(30, "<0.5") + counted("1.", 20)) == ColumnKind::unclear);
  CHECK(kind(Texts(30, "trace") + Texts(20, "7")) == ColumnKind::text);
  CHECK(kind({"2.5%", "3"}) == ColumnKind::unclear);
  CHECK(kind({"1.5", "1,5"}) == ColumnKind::unclear);
}

TEST_CASE("all columns have one decimal mark, and numbers with two meanings are not guessed") {
  using Basis = DecimalMark::Basis;
  const auto mark = [](const std::vector<Texts>& cells, char delimiter, bool is_like = false,
                       std::optional<char> known = std::nullopt) {
    std::vector<CommonForm> forms(cells.size());
    std::vector<const CommonForm*> columns;
    for (std::size_t column = 0; column < cells.size(); ++column) {
      for (const auto& cell : cells[column]) forms[column].add(cell);
      columns.push_back(&forms[column]);
    }
    const DecimalMark decided = decide_decimal(columns, delimiter, is_like, known);
    return std::pair(decided.mark, decided.basis);
  };
  CHECK(mark({{"1,5"}, {"1.037"}, {"3"}}, ';') == std::pair(',', Basis::evidence));
  CHECK(mark({{"1.5"}, {"1,037"}}, ';') == std::pair('.', Basis::evidence));
  CHECK(mark({{"0,012"}, {"2,325"}}, ',') == std::pair(',', Basis::evidence));
  CHECK(mark({{"1.5"}, {"1,5"}}, ';').second == Basis::contradictory);
  CHECK(mark({{"1.100"}, {"3"}}, ';').second == Basis::ambiguous);
  CHECK(mark({{"1.100"}, {"1,126"}}, ';').second == Basis::ambiguous);
  CHECK(mark({{"3"}, {"1,037"}}, ';') == std::pair(',', Basis::delimiter));
  CHECK(mark({{"3"}, {"1,037"}}, ',') == std::pair('.', Basis::delimiter));
  CHECK(mark({{"3"}, {"1,037"}}, ',', true).second == Basis::ambiguous);
  CHECK(mark({{"3"}, {"1.037"}}, ',', true) == std::pair('.', Basis::delimiter));
  CHECK(mark({{"1,037"}}, ';', true).second == Basis::ambiguous);
  CHECK(mark({{"3"}, {}}, ';', true) == std::pair('.', Basis::none));
  CHECK(mark({{"1.037"}}, ';', true, ',') == std::pair(',', Basis::known));
  CHECK(mark({{"1,037"}}, ';', true, ',') == std::pair(',', Basis::known));
  CHECK(mark({{"1.037"}}, ';', true, '.') == std::pair('.', Basis::known));
  CHECK(mark({{"1,037"}}, ';', true, '.').second == Basis::ambiguous);  // a table of another program
  CHECK(mark({{"1,037"}}, '\t', true, '.') == std::pair('.', Basis::known));
  CHECK(mark({{"1.037"}}, ',', true, ',') == std::pair('.', Basis::delimiter));
  CHECK(mark({{"1.5"}, {"1,037"}}, ';', true, ',') == std::pair('.', Basis::evidence));
}
