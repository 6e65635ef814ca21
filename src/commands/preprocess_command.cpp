// SPDX-License-Identifier: MIT
#include "commands/commands.hpp"
#include "commands/preprocess_words.hpp"
#include "mpi/agreement.hpp"
#include "run/execute_preprocess.hpp"

namespace sheaf {

void preprocess_command(const CommandCall& call, const Communicator& world) {
  PreprocessRequest request;
  agree(world, [&] { request = parse_preprocess_words(call.words); });
  execute_preprocess(request, world);
}

}  // namespace sheaf
