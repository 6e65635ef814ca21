"""compiled.py SOURCES OPTIONS...: compiles the kernels for GPUs with nvcc, and checks that their registers suffice
without spilling, that they use no more shared memory than they need, and that no product and sum are contracted.
SOURCES is the folder src; OPTIONS are those of the build. Skipped without nvcc."""

import os
import re
import shutil
import subprocess
import sys

SOURCES, OPTIONS = sys.argv[1], sys.argv[2:]
FILE = f"{SOURCES}/engines/libtorch/fused_update.cu"
ARCHITECTURES = ("80", "90", "100", "120")
# A multiprocessor has 65536 registers: it runs at least 4 groups of 256 items at the same time, in float64 2.
LIMITS = {"fused_update_float32": {"registers": 64, "bytes smem": 27 * 4 + 32},
          "fused_update_float64": {"registers": 96, "bytes smem": 27 * 8 + 32}}


def found_nvcc():
    for candidate in (os.environ.get("NVCC", ""), "nvcc", "/usr/local/cuda/bin/nvcc"):
        if candidate and shutil.which(candidate):
            return candidate
    print("skipped: nvcc was not found")
    sys.exit(77)


def run_nvcc(*arguments):
    command = [nvcc, *arguments]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"FAILED: {' '.join(command)}\n{done.stdout}{done.stderr}")
    return done.stdout + done.stderr


def compile_as(kind, architecture, output):
    """Returns the messages. The host compiler may be newer than those that nvcc knows."""
    return run_nvcc(kind, f"-arch=sm_{architecture}", "-std=c++17", *OPTIONS, "-Xptxas", "-v",
                    "-allow-unsupported-compiler", "-I", SOURCES, "-o", output, FILE)


def check_resources(architecture):
    text = compile_as("-cubin", architecture, "kernel.cubin")
    parts = re.split(r"Compiling entry function '(\w+)'", text)
    found = dict(zip(parts[1::2], parts[2::2]))
    for kernel, limits in LIMITS.items():
        used = next((part for name, part in found.items() if kernel in name), "")
        for kind, limit in {**limits, "bytes spill stores": 0, "bytes spill loads": 0}.items():
            match = re.search(rf"(\d+) {kind}", used)
            if not match or int(match[1]) > limit:
                sys.exit(f"FAILED: sm_{architecture}, {kernel}: more than {limit} {kind}:\n{text}")
        print(f"sm_{architecture} {kernel}:", re.search(r"Used (.*)", used)[1])


nvcc = found_nvcc()
known = run_nvcc("--list-gpu-arch").split()
architectures = [one for one in ARCHITECTURES if f"compute_{one}" in known]
if not architectures:
    print(f"skipped: {nvcc} compiles for none of the architectures {', '.join(ARCHITECTURES)}")
    sys.exit(77)
for architecture in architectures:
    check_resources(architecture)

# The compiler of PTX may contract operations whose rounding is not named.
compile_as("-ptx", architectures[0], "kernel.ptx")
with open("kernel.ptx") as file:
    fusible = re.findall(r"^\s*(?:mul|add|sub)\.f(?:32|64)\s.*$", file.read(), re.M)
if fusible:
    sys.exit("FAILED: operations may be contracted:\n" + "\n".join(fusible))

compile_as("-c", architectures[0], "kernel.o")  # the code of the host
