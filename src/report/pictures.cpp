// SPDX-License-Identifier: MIT
#include "report/pictures.hpp"

#include "report/curve_picture.hpp"
#include "report/ensemble_picture.hpp"
#include "report/history_pictures.hpp"
#include "report/importance_picture.hpp"
#include "report/key_pictures.hpp"
#include "report/prediction_pictures.hpp"
#include "report/time_pictures.hpp"

namespace sheaf {

std::vector<PictureGroup> pictures_of(const RunReport& report) {
  std::vector<PictureGroup> groups = {{"history", "History", history_pictures(report)}};
  if (!report.keys.empty() && !report.objects.empty())
    groups.push_back({"keys", "Searched keys", key_pictures(report)});
  if (report.is_search()) groups.push_back({"ensemble", "Ensemble of trials", {ensemble_growth(report)}});
  groups.push_back({"curves", "Learning curves", {learning_curves(report)}});
  groups.push_back({"predictions",
                    std::string("Held-out predictions of the best ") + (report.is_search() ? "trial" : "model"),
                    prediction_pictures(report)});
  groups.push_back({"features", "Importance of the features", {feature_importance(report)}});
  groups.push_back({"time", "Time", time_pictures(report)});
  return groups;
}

}  // namespace sheaf
