/* Transfers between accounts, each under the locks of both. Two transfers in opposite directions
 * can wait for each other. With -DORDERED the locks are taken in the order of the accounts, and
 * nothing is wrong. */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>

struct account {
  pthread_mutex_t lock;
  long balance;
};

static struct account savings = {PTHREAD_MUTEX_INITIALIZER, 1000};
static struct account current = {PTHREAD_MUTEX_INITIALIZER, 200};

struct order {
  struct account *from, *to;
  long amount;
};

static void transfer(struct account *from, struct account *to, long amount) {
  struct account *first = from, *second = to;
#ifdef ORDERED
  if (from > to) {
    first = to;
    second = from;
  }
#endif
  pthread_mutex_lock(&first->lock);
  pthread_mutex_lock(&second->lock);
  from->balance -= amount;
  to->balance += amount;
  pthread_mutex_unlock(&second->lock);
  pthread_mutex_unlock(&first->lock);
}

static void *clerk(void *argument) {
  const struct order *order = argument;
  transfer(order->from, order->to, order->amount);
  return NULL;
}

int main(void) {
  struct order orders[] = {{&savings, &current, 50}, {&current, &savings, 20}};
  pthread_t clerks[2];
  for (int i = 0; i < 2; i++)
    pthread_create(&clerks[i], NULL, clerk, &orders[i]);
  for (int i = 0; i < 2; i++)
    pthread_join(clerks[i], NULL);
  assert(savings.balance + current.balance == 1200);
  printf("savings %ld, current %ld\n", savings.balance, current.balance);
  return 0;
}
