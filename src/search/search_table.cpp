// SPDX-License-Identifier: MIT
#include "search/search_table.hpp"

#include <algorithm>
#include <cassert>
#include <iterator>

#include "search/halving.hpp"
#include "search/hyperband.hpp"
#include "search/median.hpp"
#include "search/single_stage.hpp"

namespace sheaf {
namespace {

struct SearcherEntry {
  SearchMethod method;
  MakeSearcher make;
};

constexpr SearcherEntry search_table[] = {
    {SearchMethod::none, make_single_stage},   {SearchMethod::grid, make_single_stage},
    {SearchMethod::random, make_single_stage}, {SearchMethod::tpe, make_single_stage},
    {SearchMethod::halving, make_halving},     {SearchMethod::hyperband, make_hyperband},
    {SearchMethod::median, make_median}};

}  // namespace

std::unique_ptr<const Searcher> make_searcher(const Study& study) {
  const auto* entry = std::find_if(std::begin(search_table), std::end(search_table), [&](const SearcherEntry& row) {
    return row.method == study.search.method_row().kind;
  });
  assert(entry != std::end(search_table));
  return entry->make(study);
}

}  // namespace sheaf
