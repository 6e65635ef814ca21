// The table of search methods: names, and properties that several modules use. search/search_table has the searchers.
// Pure.
// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <string_view>

#include "study/kind_table.hpp"

namespace sheaf {

enum class SearchMethod { none, grid, random, tpe, halving, hyperband, median };

/// The trials of a search. all: every combination of lists; drawn: search.trials of them, from lists and ranges;
/// either: drawn if search.trials is set, otherwise all; scheduled: drawn, and if search.trials is not set, as many as
/// the search trains with train.epochs.
enum class TrialSource { none, all, drawn, either, scheduled };

struct SearchMethodRow {
  SearchMethod kind;
  std::string_view name;
  std::string_view meaning;  ///< for the help
  TrialSource trials;
  bool learns;                   ///< trials are drawn from the results of earlier ones
  bool can_grow;                 ///< a finished search can be continued with a larger search.trials
  bool divides_epochs;           ///< train.epochs is divided among several stages
  std::string_view other_names;  ///< in other tools, separated by spaces
};

/// In the order of SearchMethod.
inline constexpr std::array search_method_table = {
    SearchMethodRow{SearchMethod::none, "none", "", TrialSource::none, false, false, false, ""},
    SearchMethodRow{SearchMethod::grid, "grid", "train every combination of the candidates in [search]",
                    TrialSource::all, false, false, false, "grid_search gridsearchcv gridsampler"},
    SearchMethodRow{SearchMethod::random, "random", "train search.trials combinations, drawn from lists and ranges",
                    TrialSource::drawn, false, true, false, "random_search randomizedsearchcv randomsampler"},
    SearchMethodRow{
        SearchMethod::tpe, "tpe",
        "train search.trials combinations; a trial that sees 10 results is drawn near the best of them, the others as "
        "by random (Tree-structured Parzen Estimator)",
        TrialSource::drawn, true, true, false, "tpesampler optuna hyperopt bayesian bayes_search bayessearchcv"},
    SearchMethodRow{
        SearchMethod::halving, "halving",
        "train all of these for a few epochs (a stage), continue the best part of them for more epochs, and "
        "so on up to train.epochs",
        TrialSource::either, false, false, true,
        "successive_halving successivehalvingpruner halvinggridsearchcv halvingrandomsearchcv asha "
        "ashascheduler"},
    SearchMethodRow{
        SearchMethod::hyperband, "hyperband",
        "halving of several groups of drawn trials (brackets), which begin with different numbers of epochs, "
        "from many trials with few epochs to few trials with train.epochs",
        TrialSource::scheduled, false, false, true, "hyperbandpruner hyperbandscheduler"},
    SearchMethodRow{
        SearchMethod::median, "median",
        "train all of these in stages of search.interval epochs, and continue the better half of them after each stage",
        TrialSource::either, false, false, true,
        "median_stopping median_stopping_rule medianstoppingrule medianpruner"},
};
static_assert(is_in_order(search_method_table));

constexpr const SearchMethodRow& search_method_of(SearchMethod kind) {
  return row_of(search_method_table, kind);
}

}  // namespace sheaf
