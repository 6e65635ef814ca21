// Writes the tables that read_tables.py checks.
// SPDX-License-Identifier: MIT
#include <cmath>

#include "files/hdf5/table_writer.hpp"

int main(int, char** argv) {
  sheaf::Hdf5Writer file(argv[1]);
  file.write_attribute("name", std::string("größer"));
  file.write_attribute("nothing", std::string());
  file.write_attribute("seed", std::int64_t{9007199254740993});
  file.write_attribute("seconds", 0.1);
  file.write_table("iterations", {{"iteration", std::vector<std::int64_t>{0, 1, -(std::int64_t{1} << 62)}},
                                  {"final_loss", std::vector<double>{0.1, NAN, -INFINITY}},
                                  {"shuffled", std::vector<bool>{true, false, true}},
                                  {"status", std::vector<std::string>{"finished", "", "é"}},
                                  {"empty", std::vector<std::string>{"", "", ""}}});
  file.write_table("deep/er/none", {{"number", std::vector<std::int64_t>{}},
                                    {"value", std::vector<double>{}},
                                    {"text", std::vector<std::string>{}}});
  std::vector<std::int64_t> many(100000);
  std::vector<std::string> texts(many.size());
  for (std::size_t row = 0; row < many.size(); ++row) {
    many[row] = static_cast<std::int64_t>(row) * 3;
    texts[row] = std::to_string(row);
  }
  file.write_table("arrays", {{"number", std::vector<std::int64_t>{7, 8}},
                              {"values", std::vector<float>{0.5, -1, 2, 3, 4, 0.1f}, 3},
                              {"pairs", std::vector<double>{0.1, 2, 3, 4}, 2},
                              {"value", std::vector<float>{1.5, 0.1f}}});
  file.write_table("many", {{"text", texts}, {"number", many}});
  file.close();
  return 0;
}
