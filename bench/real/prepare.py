"""Fetches sources of Debian and builds programs of them as bitcode: see bench/symbolic --prepare.

Nothing of the machine's configuration is changed: apt gets lists of its own. The place to fetch
from is the one of the machine's own Debian sources. What cannot be fetched or built is said by
name, and the rest goes on."""
import hashlib
import os
import re
import shlex
import subprocess
import sys
import urllib.error
import urllib.request

import bitcode

KEYS = "/usr/share/keyrings/debian-archive-keyring.gpg"
# As the program is built, but into bitcode; what glibc's headers would put into it calls functions,
# and no variable is read where the program does not, which could be a race.
FLAGS = ("-O1 -g -w -flto -pthread -D__NO_INLINE__ -U_FORTIFY_SOURCE"
         " -mllvm -force-attribute=sanitize_thread")
MAKE = ["make", "-k", "CC=clang-19", "AR=llvm-ar-19", "RANLIB=llvm-ranlib-19", f"CFLAGS={FLAGS}"]


class Failed(Exception):
    pass


def say(text):
    print(text, file=sys.stderr, flush=True)


class Sources:
    """Source packages, in a folder of ours."""

    def __init__(self, folder, mirror, suites):
        self.folder, self.mirror = folder, mirror or self.found_mirror()
        self.suites = suites or [self.codename(), "sid"]
        self.unpacked = {}

    def run(self, suite, *words):
        state = os.path.join(self.folder, "apt", suite)
        os.makedirs(os.path.join(state, "lists", "partial"), exist_ok=True)
        listed = os.path.join(state, "sources.list")
        with open(listed, "w", encoding="utf-8") as file:
            file.write(f"deb-src [signed-by={KEYS}] {self.mirror} {suite} main\n")
        options = {"Dir::Etc::sourcelist": listed, "Dir::Etc::sourceparts": "-", "Dir::State::lists": os.path.join(state, "lists"),
                   "Dir::Cache": os.path.join(state, "cache"), "APT::Sandbox::User": "root"}
        done = subprocess.run(["apt-get", *(f"-o{key}={value}" for key, value in options.items()), *words], capture_output=True,
                              text=True, check=False)
        if done.returncode != 0:
            raise Failed(f"apt-get {words[0]} in {suite}: {done.stderr.strip()[-200:]}")
        return done.stdout

    @staticmethod
    def found_mirror():
        """That of the machine's own sources."""
        done = subprocess.run(["apt-get", "indextargets", "--format", "$(REPO_URI) $(ORIGIN) $(COMPONENT) $(RELEASE)"], capture_output=True,
                              text=True, check=False)
        for line in done.stdout.splitlines():
            words = line.split()
            if len(words) >= 3 and "main" in words and words[0].rstrip("/").endswith("/debian"):
                return words[0].rstrip("/")
        raise Failed("the machine has no source of Debian's main: say one with --mirror URI")

    @staticmethod
    def codename():
        with open("/etc/os-release", encoding="utf-8") as file:
            found = re.search(r"^VERSION_CODENAME=(\w+)", file.read(), re.M)
        return found.group(1) if found else "stable"

    def fetch(self, uri, size, digest):
        path = os.path.join(self.folder, os.path.basename(uri))
        if not os.path.exists(path):
            with urllib.request.urlopen(uri, timeout=60) as answer:
                data = answer.read()
            kind, wanted = digest.split(":")
            seen = hashlib.new("md5" if kind == "MD5Sum" else kind.lower(), data).hexdigest()
            if len(data) != size or seen != wanted:
                raise Failed(f"{uri}: not the file that the list of packages has")
            with open(path + ".part", "wb") as file:
                file.write(data)
            os.rename(path + ".part", path)
        return path

    def upstream(self, package):
        """The upstream archive of a package, from the first suite that has it."""
        why = []
        for suite in self.suites:
            try:
                if not os.path.exists(os.path.join(self.folder, "apt", suite, "sources.list")):
                    self.run(suite, "update")
                lines = self.run(suite, "--print-uris", "source", package)
                found = re.search(r"^'(\S+\.orig\.tar\.(?:xz|gz|bz2))' \S+ (\d+) (\S+)", lines, re.M)
                if found is None:
                    raise Failed(f"{suite} has no upstream archive")
                return self.fetch(found.group(1), int(found.group(2)), found.group(3))
            except (Failed, urllib.error.URLError, OSError) as error:
                why.append(str(error))
        raise Failed(f"the source of {package} cannot be fetched: {'; '.join(why)}")

    def source(self, package):
        """The folder of its source."""
        if package not in self.unpacked:
            folder = os.path.join(self.folder, "src", package)
            archive = self.upstream(package)
            if not os.path.isdir(folder):
                os.makedirs(folder + ".part", exist_ok=True)
                subprocess.run(["tar", "xf", archive, "-C", folder + ".part", "--strip-components=1"], check=True)
                os.rename(folder + ".part", folder)
            self.unpacked[package] = folder
        return self.unpacked[package]


class Builder:
    def __init__(self, sources):
        self.sources, self.folder = sources, sources.folder

    def call(self, where, *words, tolerant=False):
        """A command there; its output is in a log of the folder. tolerant: it may fail."""
        with open(os.path.join(where, "unfold-build.log"), "ab") as log:
            log.write(f"$ {shlex.join(words)}\n".encode())
            log.flush()
            status = subprocess.run(words, cwd=where, stdout=log, stderr=log, stdin=subprocess.DEVNULL, check=False,
                                    env={**os.environ, "FORCE_UNSAFE_CONFIGURE": "1"}).returncode
        if status != 0 and not tolerant:
            raise Failed(f"{shlex.join(words)[:80]} failed: {where}/unfold-build.log")

    def configure(self, where, *options):
        if not os.path.exists(os.path.join(where, "Makefile")) or not os.path.exists(os.path.join(where, "config.log")):
            self.call(where, "./configure", "CC=clang-19", *options)

    def compile(self, where, files, *flags):
        for name in files:
            self.call(where, "clang-19", *FLAGS.split(), *flags, "-c", f"{name}.c", "-o", f"{name}.o")
        return [os.path.join(where, f"{name}.o") for name in files]

    def objects(self, where, *folders):
        found = []
        for folder in folders:
            path = os.path.join(where, folder)
            found += sorted(os.path.join(path, name) for name in os.listdir(path) if name.endswith(".o"))
        return found

    def link(self, name, objects, archives=()):
        missing = [path for path in [*objects, *archives] if not os.path.exists(path)]
        if missing or not objects:
            raise Failed(f"not built: {', '.join(missing) or 'any object'}")
        path = os.path.join(self.folder, f"{name}.bc")
        bitcode.link(path, objects, archives, os.path.join(self.folder, "members", name))
        say(f"{path}: built")

    def zlib(self):
        where = self.sources.source("zlib")
        return self.compile(where, "adler32 crc32 deflate infback inffast inflate inftrees trees zutil compress uncompr".split(),
                            "-DHAVE_HIDDEN", "-DHAVE_UNISTD_H")

    def pigz(self):
        zlib = self.zlib()
        where = self.sources.source("pigz")
        own = self.compile(where, ["pigz", "yarn", "try"], "-DNOZOPFLI", f"-I{self.sources.source('zlib')}")
        self.link("pigz", own + zlib)

    def lbzip2(self):
        where = self.sources.source("lbzip2")
        self.configure(where)
        self.call(where, *MAKE, tolerant=True)  # nothing links an executable of bitcode here
        self.link("lbzip2", self.objects(where, "src", "lib"))

    def sort(self):
        where = self.sources.source("coreutils")
        self.configure(where, "--disable-nls", "--without-openssl")
        # Threads from so many lines on.
        self.call(where, "sed", "-i", "s/SUBTHREAD_LINES_HEURISTIC = [^}]* }/SUBTHREAD_LINES_HEURISTIC = 4 }/", "src/sort.c")
        with open(os.path.join(where, "built.mk"), "w", encoding="utf-8") as file:
            file.write("include Makefile\nbuilt: $(BUILT_SOURCES)\n")
        self.call(where, "make", "-f", "built.mk", "built")
        self.call(where, *MAKE, "lib/libcoreutils.a", "src/libver.a", "src/sort.o")
        self.link("sort", [os.path.join(where, "src/sort.o")],
                  [os.path.join(where, "src/libver.a"), os.path.join(where, "lib/libcoreutils.a")])

    def libevent(self):
        """Natively for configure, then as bitcode."""
        where = self.sources.source("libevent")
        self.configure(where, "--disable-openssl", "--disable-samples", "--disable-libevent-regress", "--disable-shared")
        root = os.path.join(self.folder, "libevent")
        if not os.path.exists(os.path.join(root, "lib", "libevent.a")):
            self.call(where, "make", "CC=clang-19", "libevent.la")
            os.makedirs(os.path.join(root, "lib"), exist_ok=True)
            self.call(where, "cp", "-r", "include", root)
            self.call(where, "cp", ".libs/libevent.a", os.path.join(root, "lib"))
        names = ("buffer bufferevent bufferevent_sock bufferevent_filter bufferevent_pair bufferevent_ratelim listener event evthread "
                 "evmap evutil evutil_rand evutil_time log strlcpy epoll signal poll select evthread_pthread")
        return root, self.compile(where, names.split(), "-DHAVE_CONFIG_H", "-I.", "-Iinclude")

    def liblzma(self):
        where = self.sources.source("xz-utils")
        off = "shared nls assembler clmul-crc ifunc xz xzdec lzmadec lzmainfo lzma-links scripts doc".split()
        self.configure(where, *(f"--disable-{name}" for name in off))
        self.call(where, *MAKE, "-C", "src/liblzma")
        return os.path.join(where, "src/liblzma/api"), os.path.join(where, "src/liblzma/.libs/liblzma.a")

    def libarchive(self):
        where = self.sources.source("libarchive")
        without = "zlib bz2lib libb2 iconv lz4 zstd lzma cng nettle openssl xml2 expat".split()
        self.configure(where, *(f"--without-{name}" for name in without),
                       *(f"--disable-{name}" for name in "shared bsdtar bsdcat bsdcpio xattr acl".split()))
        self.call(where, *MAKE, "libarchive.la")
        return os.path.join(where, "libarchive"), os.path.join(where, ".libs/libarchive.a")

    def pixz(self):
        lzma, liblzma = self.liblzma()
        archive, libarchive = self.libarchive()
        where = self.sources.source("pixz")
        with open(os.path.join(where, "src", "config.h"), "w", encoding="utf-8") as file:
            file.write("#define HAVE_DECL_HTOLE64 1\n#define HAVE_DECL_LE64TOH 1\n")
        own = self.compile(os.path.join(where, "src"), "pixz common endian cpu list read write".split(), "-D_GNU_SOURCE",
                           '-DPACKAGE_NAME="pixz"', '-DPACKAGE_VERSION="1.0.7"', "-I.", f"-I{lzma}", f"-I{archive}")
        self.link("pixz", own, [liblzma, libarchive])

    def memcached(self):
        root, libevent = self.libevent()
        where = self.sources.source("memcached")
        self.configure(where, f"--with-libevent={root}")
        self.call(where, *MAKE, tolerant=True)
        own = [path for path in self.objects(where, ".") if os.path.basename(path).startswith("memcached-")]
        archive = os.path.join(self.folder, "libevent.bc.a")
        self.call(where, "llvm-ar-19", "rcs", archive, *libevent)
        self.link("memcached", own, [archive])


PROGRAMS = ("pigz", "pixz", "lbzip2", "sort", "memcached")


def prepare(folder, mirror=None, suites=None, only=PROGRAMS):
    """Names of programs that were not built."""
    os.makedirs(os.path.join(folder, "src"), exist_ok=True)
    failed = []
    try:
        builder = Builder(Sources(os.path.abspath(folder), mirror, suites))
    except Failed as error:
        say(f"prepare: {error}")
        return list(only)
    for name in only:
        try:
            getattr(builder, name)()
        except (Failed, subprocess.CalledProcessError, OSError) as error:
            say(f"{name}: {error}")
            failed.append(name)
    return failed
