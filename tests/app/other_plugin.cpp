// A plugin as another Sheaf (VERSION) or another LibTorch (TORCH) would have built it.
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
