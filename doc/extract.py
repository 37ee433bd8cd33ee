"""extract.py FILE.md LANGUAGE: prints the blocks of a language in a page, one after the other. So
the code of a page is what is compiled, and its output what the program must print."""
import sys


def main():
    inside = False
    with open(sys.argv[1], encoding="utf-8") as page:
        for line in page:
            if line.startswith("```"):
                inside = not inside and line.strip() == "```" + sys.argv[2]
            elif inside:
                print(line, end="")


if __name__ == "__main__":
    main()
