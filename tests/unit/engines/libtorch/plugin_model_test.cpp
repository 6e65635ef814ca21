// SPDX-License-Identifier: MIT
#include "engines/libtorch/plugin_model.hpp"

#include <dlfcn.h>

#include <filesystem>
#include <fstream>

#include "files/regular_file.hpp"
#include "support/catch.hpp"

using namespace sheaf;

TEST_CASE("a plugin that changes between its fingerprint and its loading is refused") {
  const char* file = "plugin_model_test.so";
  std::filesystem::remove(file);
  std::ofstream(file) << "content at the time of the fingerprint";
  first_content(file);
  Dl_info library{};
  REQUIRE(dladdr(dlsym(RTLD_DEFAULT, "cbrt"), &library) != 0);
  std::filesystem::copy_file(library.dli_fname, file, std::filesystem::copy_options::overwrite_existing);
  CHECK_THROWS_WITH(PluginModel(file),
                    "the plugin 'plugin_model_test.so' changed while it was loaded. Start again when "
                    "the file is complete.");
}
