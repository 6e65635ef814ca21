// SPDX-License-Identifier: MIT
#define CATCH_CONFIG_RUNNER
#include "support/catch.hpp"

#include "support/run_catch.hpp"

namespace sheaf {

int run_catch(int argc, char** argv, bool as_declared) {
  Catch::Session session;
  if (as_declared) session.configData().runOrder = decltype(session.configData().runOrder){};
  const int wrong_usage = session.applyCommandLine(argc, argv);
  return wrong_usage != 0 ? wrong_usage : session.run();
}

}  // namespace sheaf
