// A plugin that claims to be built for another version of Sheaf (VERSION) or LibTorch (TORCH).
// SPDX-License-Identifier: MIT
struct Entry {
  int version;
  const char* torch_version;
  void* make;
};

extern "C" const Entry* sheaf_plugin() {
  static const Entry entry{VERSION, TORCH, nullptr};
  return &entry;
}
