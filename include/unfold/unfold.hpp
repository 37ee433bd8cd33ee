/**
 * @file
 * libunfold for C++20: a header over the functions of C, with nothing in between. Each object of C
 * is a class that owns it and can only be moved; calls that fail throw ::unfold::error; what is
 * listed comes as a range; engines, families and predicates are classes of the program's own.
 *
 *     unfold::context context;
 *     unfold::unfolding program(context);
 *     unfold::explorer explorer(program);
 *     unfold::counts counts = explorer.explore(machine);
 *
 * The same classes in `unfold::expected` return std::expected instead of throwing, where the
 * compiler has that (C++23). Nothing is hidden: `get()` is the object of C, whose functions can be
 * used beside those here, `release()` gives it away, and a constructor takes one over.
 *
 * - *Visitors.* A function that lists returns a std::vector, or takes a callable, which gets one
 *   element after the other and may return false to end that. What the library numbers (events,
 *   steps of a schedule, races) is a view of random access that is made when asked for.
 * - *Text* is a std::string, or goes to a std::ostream, a string or a callable.
 * - *Exceptions of callbacks* do not pass through C: the call ends with an error, and the exception
 *   comes out of it, also in the form that does not throw. The call can be made again, and an
 *   exploration goes on with the callback that threw. If C code makes the call, it gets the status
 *   alone. Callbacks that cannot fail must be noexcept.
 * - *Lifetimes* are those of C: what was made from a context or an unfolding is destroyed before
 *   it, which the order of declaration does. Callables that are stored are taken by reference.
 * - No run-time type information is needed.
 */
#ifndef UNFOLD_UNFOLD_HPP
#define UNFOLD_UNFOLD_HPP

#if __cplusplus < 202002L
#error "<unfold/unfold.hpp> is for C++20; <unfold/unfold.h> for all others"
#endif

#include <unfold/cpp/base.hpp>
#include <unfold/cpp/configuration.hpp>
#include <unfold/cpp/consistency.hpp>
#include <unfold/cpp/cutoff.hpp>
#include <unfold/cpp/distribute.hpp>
#include <unfold/cpp/effect.hpp>
#include <unfold/cpp/engine.hpp>
#include <unfold/cpp/explorer.hpp>
#include <unfold/cpp/families.hpp>
#include <unfold/cpp/purity.hpp>
#include <unfold/cpp/race.hpp>
#include <unfold/cpp/ranges.hpp>
#include <unfold/cpp/schedule.hpp>
#include <unfold/cpp/std.hpp>
#include <unfold/cpp/types.hpp>
#include <unfold/cpp/unfolding.hpp>
#include <unfold/cpp/wakeup.hpp>

/** libunfold for C++. */
namespace unfold {

/** @name The classes, whose functions throw */
/** @{ */
/** The class of this name. */
using context = basic_context<throwing>;
using unfolding = basic_unfolding<throwing>;
using configuration = basic_configuration<throwing>;
using fingerprint = basic_fingerprint<throwing>;
using cutoffs = basic_cutoffs<throwing>;
using ledger = basic_ledger<throwing>;
using explorer = basic_explorer<throwing>;
using schedule = basic_schedule<throwing>;
using tree = basic_tree<throwing>;
using races = basic_races<throwing>;
using sleep_sets = basic_sleep_sets<throwing>;
using wakeup_trees = basic_wakeup_trees<throwing>;
using flow = basic_flow<throwing>;
using purity = basic_purity<throwing>;
using std_writer = basic_std_writer<throwing>;
using std_trace = basic_std_trace<throwing>;
/** @} */

#ifdef __cpp_lib_expected
/** The classes, whose functions return std::expected. */
namespace expected {
/** @name As in ::unfold */
/** @{ */
/** The class of this name. */
using context = basic_context<expecting>;
using unfolding = basic_unfolding<expecting>;
using configuration = basic_configuration<expecting>;
using fingerprint = basic_fingerprint<expecting>;
using cutoffs = basic_cutoffs<expecting>;
using ledger = basic_ledger<expecting>;
using explorer = basic_explorer<expecting>;
using schedule = basic_schedule<expecting>;
using tree = basic_tree<expecting>;
using races = basic_races<expecting>;
using sleep_sets = basic_sleep_sets<expecting>;
using wakeup_trees = basic_wakeup_trees<expecting>;
using flow = basic_flow<expecting>;
using purity = basic_purity<expecting>;
using std_writer = basic_std_writer<expecting>;
using std_trace = basic_std_trace<expecting>;
/** @} */
} // namespace expected
#endif

} // namespace unfold

#endif
