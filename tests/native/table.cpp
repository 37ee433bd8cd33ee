// An object is destroyed while another thread calls it: the pointer to its table of functions is
// set to that of the base.
#include <pthread.h>

static int last;

struct base {
  virtual int value() {
    return 1;
  }
  virtual ~base() { // destroyed
    last = value();
  }
};

struct derived : base {
  int value() override {
    return 2;
  }
};

static base *object = new derived;
static int *number = new int(3);

static void *deletes(void *) {
  delete number; // deleted
  return nullptr;
}

static void *calls(void *) {
  return object->value() == 7 ? object : nullptr; // called
}

int main(int argc, char **) {
  pthread_t thread;
  if (argc > 1) {
    pthread_create(&thread, nullptr, deletes, nullptr);
    last = *number; // read
    pthread_join(thread, nullptr);
    return 0;
  }
  pthread_create(&thread, nullptr, calls, nullptr);
  object->~base();
  pthread_join(thread, nullptr);
}
