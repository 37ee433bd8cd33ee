/* Every class of the C++ header, in each form, with all its functions that are no templates
 * themselves. The header is included twice. */
#include <unfold/unfold.hpp>
#include <unfold/unfold.hpp>

#define INSTANTIATE(form)                                                                          \
  template class unfold::basic_context<form>;                                                      \
  template class unfold::basic_unfolding<form>;                                                    \
  template class unfold::basic_configuration<form>;                                                \
  template struct unfold::basic_fingerprint<form>;                                                 \
  template class unfold::basic_cutoffs<form>;                                                      \
  template class unfold::basic_explorer<form>;                                                     \
  template class unfold::basic_schedule<form>;                                                     \
  template class unfold::basic_tree<form>;                                                         \
  template class unfold::basic_races<form>;                                                        \
  template class unfold::basic_sleep_sets<form>;                                                   \
  template class unfold::basic_wakeup_trees<form>;                                                 \
  template class unfold::basic_flow<form>;                                                         \
  template class unfold::basic_purity<form>;                                                       \
  template class unfold::basic_std_writer<form>;                                                   \
  template class unfold::basic_std_trace<form>

INSTANTIATE(unfold::throwing);
#ifdef __cpp_lib_expected
INSTANTIATE(unfold::expecting);
#endif
