"""--jobs and --mpi with all workers from the beginning on: what is short the first one explores
alone otherwise."""


def together(words):
    """The words of a command, which has several workers or not."""
    words = [str(word) for word in words]
    for option in ("--jobs", "--mpi"):
        if option in words:
            at = words.index(option)
            return [*words[:at], "--worker-delay", "0", *words[at:]]
    return words
