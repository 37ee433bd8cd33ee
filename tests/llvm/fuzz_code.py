"""fuzz_code.py FUZZ_CODE UNFOLD_BITCODE CLANG FILE.c COUNT: translates a program, and lets
fuzz_code read it and what differs from it."""
import os
import subprocess
import sys
import tempfile

FUZZ, BITCODE, CLANG, FILE, COUNT = sys.argv[1:]
with tempfile.TemporaryDirectory() as folder:
    bitcode, code = os.path.join(folder, 'p.bc'), os.path.join(folder, 'p.code')
    subprocess.run([CLANG, '-O0', '-g', '-w', '-emit-llvm', '-c', '-o', bitcode, FILE], check=True)
    with open(code, 'wb') as file:
        subprocess.run([BITCODE, bitcode], check=True, stdout=file)
    sys.exit(subprocess.run([FUZZ, code, COUNT, '1'], check=False).returncode)
