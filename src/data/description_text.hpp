// Descriptions of data as JSON text, as data files and saved models store them. Pure.
// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "data/data_description.hpp"

namespace sheaf {

/// How the features of a data file are stored.
enum class FeatureForm {
  features,  ///< as numbers, by other programs or by version 0.7, which one-hot encoded texts
  columns,   ///< one number per column (data/column_encoding)
};

/// The description of the columns of a data file or a saved model.
struct DescribedColumns {
  FeatureForm form = FeatureForm::features;
  std::vector<DataColumn> columns;
  std::vector<std::string> dropped;  ///< DataDescription::dropped_columns
  CellReading reading;               ///< DataDescription::reading
};

/// Columns as JSON: {"format": 2, "columns": [{"name": "age", "offset": 1.7e9, "empty": true, "fill": 3.5}, {"name":
/// "city", "categories": ["Oslo", "Rome"], "empty": true}, {"name": "sold.year", "date": {"column": "sold", "part":
/// "year", "format": "y-m-d"}}], "dropped": ["id"], "decimal": ",", "na_values": ["-999"],
/// "keep_default_na": false}. Bytes that are not valid UTF-8 are replaced.
std::string columns_text(const std::vector<DataColumn>& columns, const std::vector<std::string>& dropped,
                         const CellReading& reading = {});

/// Parses columns_text(), FeatureForm::columns, and the list of columns of version 0.7, FeatureForm::features: each
/// category of its columns of texts becomes a column of numbers named "column=category" ("column=" for empty cells).
/// Zero bytes in texts become '?', as HDF5 cannot store them. Throws RunError with a reason only, such as "columns is
/// not a list".
DescribedColumns parse_columns(const std::string& text);

/// The whole description as JSON.
std::string description_text(const DataDescription& description);

/// Parses description_text(), also that of version 0.7. Throws as parse_columns().
DataDescription parse_description(const std::string& text);

}  // namespace sheaf
