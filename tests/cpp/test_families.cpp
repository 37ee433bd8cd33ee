/* Families of the literature (tests/oracle/families.c), written a second time as programs of
 * coroutines and explored through the C++ header: the traces of tests/golden/counts.csv, with
 * alternatives and with wakeup trees.
 *
 *   test_families COUNTS [MOST]     rows of at most so many traces (2000) */
#include <array>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iostream>
#include <set>
#include <sstream>

#include "check.hpp"
#include "coroutines.hpp"

namespace {

using coro::machine;
using coro::thread;

template <class T> std::vector<T> several(machine &on, int count) {
  std::vector<T> all;
  for (int i = 0; i < count; i++)
    all.emplace_back(on);
  return all;
}

size_t at(int64_t index) {
  return static_cast<size_t>(index);
}

struct base {
  machine &on;
  int a, b;
  base(machine &m, int first, int second) : on(m), a(first), b(second) {
  }
  thread lock_unlock(const coro::mutex &m) {
    co_await m.lock();
    co_await m.unlock();
  }
};

struct locks : base {
  coro::mutex m{on};
  locks(machine &to, int first, int second) : base(to, first, second) {
    for (int i = 0; i < a; i++)
      on.start(lock_unlock(m));
  }
};

struct count : base {
  int64_t c = 0;
  coro::mutex mc{on};
  std::vector<coro::mutex> x = several<coro::mutex>(on, a);
  count(machine &to, int first, int second) : base(to, first, second) {
    for (int i = 0; i < a; i++)
      on.start(lock_unlock(x[at(i)]));
    on.start(counter());
    on.start(master());
  }
  thread counter() {
    for (int i = 1; i < a; i++) {
      co_await mc.lock();
      c = i;
      co_await mc.unlock();
    }
  }
  thread master() {
    co_await mc.lock();
    const int64_t i = c;
    co_await mc.unlock();
    co_await x[at(i)].lock();
    co_await x[at(i)].unlock();
  }
};

struct disp : base {
  int64_t sid = 0;
  coro::mutex k{on};
  std::vector<coro::mutex> s = several<coro::mutex>(on, a);
  disp(machine &to, int first, int second) : base(to, first, second) {
    on.start(main());
  }
  thread main() {
    for (int i = 0; i < a; i++)
      co_await on.spawn(lock_unlock(s[at(i)]));
    for (int i = 0; i < b; i++) {
      const unfold::thread picks = co_await on.spawn(picker());
      co_await k.lock();
      const int64_t x = sid;
      co_await k.unlock();
      co_await s[at(x)].lock();
      co_await s[at(x)].unlock();
      co_await on.join(picks);
    }
  }
  thread picker() {
    for (int x = 0; x < a; x++) {
      co_await k.lock();
      sid = x;
      co_await k.unlock();
    }
  }
};

struct mpat : base {
  coro::mutex mi{on};
  std::vector<coro::mutex> ma = several<coro::mutex>(on, a);
  mpat(machine &to, int first, int second) : base(to, first, second) {
    on.start(main());
  }
  thread main() {
    for (int i = 0; i < a; i++) {
      co_await on.spawn(lock_unlock(ma[at(i)]));
      co_await on.spawn(reader(i));
    }
  }
  thread reader(int i) {
    co_await mi.lock();
    co_await ma[at(i)].lock();
    co_await ma[at(i)].unlock();
    co_await mi.unlock();
  }
};

struct mpc : base {
  int64_t buffer = 0;
  coro::mutex production{on};
  std::vector<coro::mutex> m = several<coro::mutex>(on, b);
  mpc(machine &to, int first, int second) : base(to, first, second) {
    on.start(main());
  }
  thread main() {
    for (int i = 0; i < b; i++)
      co_await on.spawn(worker(i));
    for (int i = 0; i < a; i++)
      co_await on.spawn(producer(i));
  }
  thread worker(int i) {
    for (int n = 0; n < 2; n++) {
      co_await m[at(i)].lock();
      co_await m[at(i)].unlock();
    }
  }
  thread producer(int id) {
    int64_t mine = 0;
    for (int n = 0; n < 2; n++) {
      co_await production.lock();
      buffer = (buffer * a + id) & 4294967295;
      mine = buffer;
      co_await production.unlock();
    }
    co_await m[at(mine % b)].lock();
    co_await m[at(mine % b)].unlock();
  }
};

struct pi : base {
  coro::mutex m{on};
  pi(machine &to, int first, int second) : base(to, first, second) {
    on.start(main());
  }
  thread main() {
    std::vector<unfold::thread> workers;
    for (int i = 0; i < a; i++)
      workers.push_back(co_await on.spawn(lock_unlock(m)));
    for (unfold::thread worker : workers)
      co_await on.join(worker);
  }
};

struct pol : base {
  int64_t i = 0;
  coro::mutex mi{on};
  std::vector<coro::mutex> ma = several<coro::mutex>(on, a);
  pol(machine &to, int first, int second) : base(to, first, second) {
    on.start(main());
  }
  thread main() {
    std::vector<unfold::thread> workers;
    for (int n = 0; n < a; n++)
      workers.push_back(co_await on.spawn(lock_unlock(ma[at(n)])));
    for (int n = 0; n < b; n++) {
      const unfold::thread chooses = co_await on.spawn(choice());
      const unfold::thread reads = co_await on.spawn(reader());
      co_await on.join(chooses);
      co_await on.join(reads);
    }
    for (unfold::thread worker : workers)
      co_await on.join(worker);
  }
  thread choice() {
    for (int x = 1; x < a; x++) {
      co_await mi.lock();
      i = x;
      co_await mi.unlock();
    }
  }
  thread reader() {
    co_await mi.lock();
    const int64_t index = i;
    co_await mi.unlock();
    co_await ma[at(index)].lock();
    co_await ma[at(index)].unlock();
  }
};

struct waiters : base {
  coro::mutex m{on};
  coro::condition c{on};
  waiters(machine &to, int first, int second) : base(to, first, second) {
    for (int i = 0; i < a; i++)
      on.start(waiter());
    for (int i = 0; i < b; i++)
      on.start(signaller());
  }
  thread waiter() {
    co_await m.lock();
    co_await c.wait(m);
    co_await m.unlock();
  }
  thread signaller() {
    co_await m.lock();
    co_await c.signal();
    co_await m.unlock();
  }
};

struct herd : base {
  std::vector<coro::mutex> m = several<coro::mutex>(on, a);
  coro::condition c{on};
  herd(machine &to, int first, int second) : base(to, first, second) {
    for (int i = 0; i < a; i++)
      on.start(waiter(i));
    for (int i = 0; i < b; i++)
      on.start(caller());
  }
  thread waiter(int i) {
    co_await m[at(i)].lock();
    co_await c.wait(m[at(i)]);
    co_await m[at(i)].unlock();
  }
  thread caller() {
    co_await c.broadcast();
  }
};

struct bounded_buffer : base {
  int held = 0;
  coro::mutex m{on};
  coro::condition more{on}, less{on};
  bounded_buffer(machine &to, int first, int second) : base(to, first, second) {
    for (int i = 0; i < a; i++) {
      on.start(producer());
      on.start(consumer());
    }
  }
  thread producer() {
    co_await m.lock();
    while (held == b)
      co_await less.wait(m);
    held++;
    co_await more.signal();
    co_await m.unlock();
  }
  thread consumer() {
    co_await m.lock();
    while (held == 0)
      co_await more.wait(m);
    held--;
    co_await less.signal();
    co_await m.unlock();
  }
};

struct readers : base {
  coro::shared_mutex k{on};
  readers(machine &to, int first, int second) : base(to, first, second) {
    for (int i = 0; i < a; i++)
      on.start(reader());
    for (int i = 0; i < b; i++)
      on.start(writer());
  }
  thread reader() {
    co_await k.lock_shared();
    co_await k.unlock();
  }
  thread writer() {
    co_await k.lock();
    co_await k.unlock();
  }
};

struct items : base {
  coro::semaphore room{on, b}, full{on, 0};
  items(machine &to, int first, int second) : base(to, first, second) {
    for (int i = 0; i < a; i++) {
      on.start(producer());
      on.start(consumer());
    }
  }
  thread producer() {
    co_await room.acquire();
    co_await full.release();
  }
  thread consumer() {
    co_await full.acquire();
    co_await room.release();
  }
};

struct adds : base {
  coro::atomic x{on};
  adds(machine &to, int first, int second) : base(to, first, second) {
    for (int i = 0; i < a; i++)
      on.start(adder());
    on.start(waiter());
  }
  thread adder() {
    co_await x.add(1);
  }
  thread waiter() {
    co_await x.wait_until(UNF_EQUAL, b);
  }
};

struct casw : base {
  coro::atomic x{on};
  casw(machine &to, int first, int second) : base(to, first, second) {
    for (int i = 0; i < a; i++)
      on.start(writer(i));
  }
  thread writer(int i) {
    co_await x.compare_exchange(0, i + 1);
    co_await x.store(i + 3);
  }
};

struct fib : base {
  coro::atomic i{on, 1}, j{on, 1};
  fib(machine &to, int first, int second) : base(to, first, second) {
    on.start(adder(i, j));
    on.start(adder(j, i));
    on.start(reader());
  }
  thread adder(coro::atomic &one, coro::atomic &other) {
    for (int k = 0; k < a; k++) {
      const int64_t r = co_await one.load();
      const int64_t s = co_await other.load();
      co_await one.store(r + s);
    }
  }
  thread reader() {
    co_await i.load();
    co_await j.load();
  }
};

template <class Program>
unfold::counts explored(int first, int second, const unfold::explorer_options &options) {
  unfold::context context;
  unfold::unfolding u(context);
  coro::engine<Program, int, int> engine(u, first, second);
  unfold::explorer explorer(u, options);
  return explorer.explore(engine);
}

struct family {
  const char *name;
  unfold::counts (*explored)(int first, int second, const unfold::explorer_options &options);
};
constexpr std::array families{
    family{"LOCKS", explored<locks>},     family{"COUNT", explored<count>},
    family{"DISP", explored<disp>},       family{"MPAT", explored<mpat>},
    family{"MPC", explored<mpc>},         family{"PI", explored<pi>},
    family{"POL", explored<pol>},         family{"WAITERS", explored<waiters>},
    family{"HERD", explored<herd>},       family{"BUFFER", explored<bounded_buffer>},
    family{"READERS", explored<readers>}, family{"ITEMS", explored<items>},
    family{"ADDS", explored<adds>},       family{"CASW", explored<casw>},
    family{"FIB", explored<fib>},
};

struct row {
  std::string family, algorithm, k;
  int first = 0, second = 0;
  uint64_t traces = 0, redundant = 0, events = 0;
};

bool read(const std::string &line, row &to) {
  std::istringstream in(line);
  std::string first, second, traces, redundant, events;
  const auto cell = [&in](std::string &c) { return static_cast<bool>(std::getline(in, c, ',')); };
  if (line.empty() || line[0] == '#' || line.starts_with("family")) return false;
  if (!cell(to.family) || !cell(first) || !cell(second) || !cell(to.algorithm) || !cell(to.k) ||
      !cell(traces) || !cell(redundant) || !cell(events))
    return false;
  to.first = std::atoi(first.c_str());
  to.second = std::atoi(second.c_str());
  to.traces = std::strtoull(traces.c_str(), nullptr, 10);
  to.redundant = std::strtoull(redundant.c_str(), nullptr, 10);
  to.events = std::strtoull(events.c_str(), nullptr, 10);
  return true;
}

/* Explores a row of the optimal mode, by its own algorithm and by wakeup trees. */
void explore(const family &f, const row &r) {
  for (const unfold::algorithm algorithm : {UNF_QPOR, UNF_ODPOR}) {
    const auto counts = f.explored(r.first, r.second, unfold::explorer_options(algorithm));
    if (counts.traces == r.traces && counts.redundant == 0 && counts.events == r.events) continue;
    std::cerr << f.name << '(' << r.first << ',' << r.second << ") " << unfold::text(algorithm)
              << ": " << counts.traces << " traces, " << counts.redundant << " redundant, "
              << counts.events << " events, and not " << r.traces << ", 0, " << r.events << '\n';
    std::exit(EXIT_FAILURE);
  }
}

} // namespace

int main(int argc, char **argv) {
  CHECK(argc >= 2);
  const uint64_t most = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 2000;
  std::ifstream table(argv[1]);
  std::set<std::string> seen;
  uint64_t rows = 0;
  row r;
  for (std::string line; std::getline(table, line);) {
    if (!read(line, r) || r.k != "optimal" || r.traces > most) continue;
    for (const family &f : families) {
      if (r.family != f.name) continue;
      explore(f, r);
      seen.insert(r.family);
      rows++;
    }
  }
  CHECK(seen.size() == families.size() && rows >= families.size());
  std::cout << rows << " members of " << seen.size() << " families, each by two algorithms\n";
}
