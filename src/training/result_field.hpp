// One member of a result with its name, for the lists of members that journals, packed results and tables loop over.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <functional>
#include <string_view>
#include <tuple>
#include <type_traits>

namespace sheaf {

/// Whether the tables of results have a column for a member.
enum class InTables { no, yes };

/// `Member`: a pointer to a member of `Result`, or to a member function, whose value is shown but not stored.
template <class Result, class Member, std::size_t size>
class ResultField {
 public:
  using Value = std::decay_t<std::invoke_result_t<Member, const Result&>>;
  static constexpr bool is_stored = std::is_member_object_pointer_v<Member>;

  constexpr ResultField(const char (&name)[size], Member member, InTables in_tables = InTables::yes)
      : member_(member), in_tables_(in_tables) {
    key_[0] = ',';
    key_[1] = '"';
    for (std::size_t index = 0; index + 1 < size; ++index) key_[index + 2] = name[index];
    key_[size + 1] = '"';
    key_[size + 2] = ':';
  }

  constexpr std::string_view name() const { return {key_ + 2, size - 1}; }
  /// `,"name":`, which begins a member of a JSON object.
  constexpr std::string_view key() const { return {key_, size + 3}; }
  constexpr bool is_in_tables() const { return in_tables_ == InTables::yes; }

  decltype(auto) of(const Result& result) const { return std::invoke(member_, result); }
  Value& in(Result& result) const { return result.*member_; }

 private:
  char key_[size + 3] = {};
  Member member_;
  InTables in_tables_;
};

template <class Value, class Result, std::size_t size>
ResultField(const char (&)[size], Value Result::*, InTables = InTables::yes)
    -> ResultField<Result, Value Result::*, size>;

/// Calls use(field) for each field of a list, in order.
template <class Fields, class Use>
void for_each_field(const Fields& fields, const Use& use) {
  std::apply([&](const auto&... field) { (use(field), ...); }, fields);
}

/// Whether test(field) is true for all stored fields of a list. Stops at the first for which it is not.
template <class Fields, class Test>
bool all_stored(const Fields& fields, const Test& test) {
  const auto passes = [&test](const auto& field) {
    if constexpr (std::decay_t<decltype(field)>::is_stored)
      return test(field);
    else
      return true;
  };
  return std::apply([&](const auto&... field) { return (passes(field) && ...); }, fields);
}

/// Calls use(field) for each stored field of a list, in order.
template <class Fields, class Use>
void for_each_stored(const Fields& fields, const Use& use) {
  all_stored(fields, [&use](const auto& field) {
    use(field);
    return true;
  });
}

}  // namespace sheaf
