// Checks TorchScript files before LibTorch reads them: LibTorch ignores the checksums of the archive, unpacks members
// of any size, and parses source code and frees values by recursion.
// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>

namespace sheaf {

/// Throws RunError unless `archive`, the content of the file `path`, is a ZIP archive whose members have the right
/// checksums and unpack to at most four times the size of the file plus 16 MiB, and whose source code and values are
/// nested at most 1000 levels deep. Pure.
void verify_model_archive(std::string_view archive, const std::string& path);

/// Same, for the file as it is now. Throws RunError also if it cannot be read. Local.
void verify_model_file(const std::string& path);

}  // namespace sheaf
