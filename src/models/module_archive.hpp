// TorchScript archives of modules: their code and their pickled state. Pure.
// Source: torch/csrc/jit/docs/serialization.md in PyTorch.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "files/zip_writer.hpp"
#include "models/pickle_values.hpp"
#include "models/torchscript_module.hpp"

namespace sheaf {

/// An attribute of a module besides its tensors: another module.
struct Submodule {
  std::string name;
  std::string type;     ///< its class, as in class_source()
  std::string pickled;  ///< pickled_module()
};

/// The source code of the class of a module.
std::string class_source(const std::string& class_name, const TorchscriptModule& module,
                         const std::vector<Submodule>& submodules = {});

/// A module in evaluation mode, whose tensors have the numbers from `first_tensor` on in the archive.
std::string pickled_module(const std::string& class_name, const TorchscriptModule& module, std::size_t first_tensor,
                           const std::vector<Submodule>& submodules = {});

/// A tensor whose values are in the archive's member data/`number`.
std::string pickled_tensor(const ModuleTensor& tensor, std::size_t number);

/// The members with the values of tensors, whose numbers are their indices.
std::vector<NewZipMember> tensor_members(const std::vector<ModuleTensor>& tensors);

/// The texts of an archive, without the tensors. They must outlive its members.
struct ArchiveTexts {
  std::string state;   ///< pickled, of the module of the archive
  std::string source;  ///< of all classes
};

/// The members of an archive. `tensors`: in the order of their numbers.
std::vector<NewZipMember> archive_members(const ArchiveTexts& texts, const std::vector<ModuleTensor>& tensors);

}  // namespace sheaf
