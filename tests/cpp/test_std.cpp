/* Traces in the STD format: written step by step and from a schedule, and read again. */
#include <sstream>
#include <string>

#include "check.hpp"

int main() {
  unfold::context context;
  std::string text;
  {
    unfold::unfolding u(context);
    const unfold::thread t = u.initial_thread(0), other = u.initial_thread(1);
    const unfold::object_name m = u.object(UNF_MUTEX, 0);
    unfold::schedule schedule(u, "p");
    schedule.append({UNF_DID_ACQUIRE, t, m, 0, 0});
    schedule.append({UNF_DID_RELEASE, t, m, 0, 0});
    CHECK(unfold::std_trace_of(schedule) == "0|acq(mutex:-:0)|1\n0|rel(mutex:-:0)|2\n");
    std::ostringstream stream;
    unfold::std_trace_of(schedule, stream);
    CHECK(stream.str() == unfold::std_trace_of(schedule));
    unfold::std_writer writer(u, text);
    writer.step({UNF_DID_ACQUIRE, t, m, 0, 0}, 5);
    writer.access({t, true, 64, 8, 6});
    writer.step({UNF_DID_RELEASE, t, m, 0, 0}, 7);
    writer.access({other, true, 64, 8, 8});
    writer.end();
  }
  unfold::unfolding u(context);
  const auto trace = unfold::std_trace::read(u, text);
  CHECK(trace.counts().lines == 4 && trace.counts().events == 2 && trace.counts().accesses == 2);
  CHECK(trace.races().size() == 1 && trace.races()[0].first.write);
  CHECK(trace.event(1) == u.events()[0] && trace.event(2) == UNF_EVENT_NONE);
  CHECK(status_of([&] { return trace.event(5); }) == UNF_UNKNOWN);
  CHECK(trace.name(UNF_STD_THREAD, 0) == "0" && !trace.name(UNF_STD_THREAD, 99));
  unfold::configuration all(u);
  trace.configuration(all);
  CHECK(all.size() == 2);
  unfold::unfolding events(context);
  unfold::std_options options;
  options.memory = UNF_STD_EVENTS;
  CHECK(unfold::std_trace::read(events, text, options).counts().events == 4);
  unfold::unfolding damaged(context);
  CHECK(status_of([&] { return unfold::std_trace::read(damaged, "0|acq(m"); }) == UNF_FORMAT);
  bool asked = false;
  auto refusing = [&](std::string_view) { return !std::exchange(asked, true) && false; };
  unfold::unfolding third(context);
  static_cast<void>(third.initial_thread(0));
  unfold::std_writer fails(third, refusing);
  const unfold::object_name m = third.object(UNF_MUTEX, 0);
  CHECK(status_of([&] {
          fails.step({UNF_DID_ACQUIRE, 0, m, 0, 0}, 1);
          fails.end();
          return 0;
        }) == UNF_WRITE);
}
