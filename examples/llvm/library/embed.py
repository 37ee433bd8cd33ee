"""embed.py OUTPUT FILE…: the bytes of files as C, for translate_library.c."""
import sys

with open(sys.argv[1], 'w') as out:
    out.write('#include "translate_library.h"\n\n')
    for number, path in enumerate(sys.argv[2:]):
        with open(path, 'rb') as file:
            data = file.read()
        out.write(f'static const unsigned char part_{number}[] = {{\n')
        for at in range(0, len(data), 20):
            out.write(' ' + ''.join(f'{byte},' for byte in data[at:at + 20]) + '\n')
        out.write('};\n')
    out.write('const struct library_part library_parts[] = {\n')
    for number in range(len(sys.argv) - 2):
        out.write(f'  {{part_{number}, sizeof part_{number}}},\n')
    out.write('};\nconst size_t library_part_count = sizeof library_parts / sizeof *library_parts;\n')
