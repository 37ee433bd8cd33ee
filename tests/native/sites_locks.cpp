/* Locks and counters of std::atomic, compiled with callbacks or without: sites_locks NAME. Loads
 * are plain instructions, so that what decides here is read by read-modify-writes. */
#include <atomic>
#include <cassert>
#include <cstring>
#include <thread>

enum { THREADS = 3, LOOKS = 2 };
static std::atomic<int> held{0}, count{0}, balance{0};
static int inside;

/* Whether the lock is taken is decided by a compare and exchange, or by an exchange. */
static void compared() {
  for (int i = 0; i < LOOKS; i++) {
    int free = 0;
    if (!held.compare_exchange_strong(free, 1)) continue;
    inside++;
    count.fetch_add(1);
    held.store(0);
    return;
  }
}

static void exchanged() {
  for (int i = 0; i < LOOKS; i++) {
    if (held.exchange(1) != 0) continue;
    inside++;
    held.exchange(0);
    return;
  }
}

/* Two steps that should be one. */
static void lost() {
  int now = balance.load();
  balance.store(now + 1);
}

static void run(void (*work)(), int threads) {
  std::thread all[THREADS];
  for (int i = 0; i < threads; i++)
    all[i] = std::thread(work);
  for (int i = 0; i < threads; i++)
    all[i].join();
}

int main(int, char **argv) {
  if (std::strcmp(argv[1], "compared") == 0) run(compared, THREADS);
  if (std::strcmp(argv[1], "exchanged") == 0) run(exchanged, THREADS);
  if (std::strcmp(argv[1], "lost") == 0) {
    run(lost, 2);
    assert(balance.load() == 2);
  }
}
