"""fuzz_code.py FUZZ_CODE UNFOLD_BITCODE CLANG FILE.c… COUNT: translates programs, and lets
fuzz_code read each and what differs from it."""
import os
import subprocess
import sys
import tempfile

FUZZ, BITCODE, CLANG = sys.argv[1:4]
FILES, COUNT = sys.argv[4:-1], sys.argv[-1]
failed = 0
with tempfile.TemporaryDirectory() as folder:
    bitcode, code = os.path.join(folder, 'p.bc'), os.path.join(folder, 'p.code')
    for name in FILES:
        subprocess.run([CLANG, '-O0', '-g', '-w', '-emit-llvm', '-c', '-o', bitcode, name], check=True)
        with open(code, 'wb') as file:
            subprocess.run([BITCODE, bitcode], check=True, stdout=file)
        failed |= subprocess.run([FUZZ, code, COUNT, '1'], check=False).returncode
sys.exit(failed)
