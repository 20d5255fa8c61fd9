# libess under fire. `ctest -L harden`.
# SPDX-License-Identifier: GPL-3.0-or-later

# what fuzzing found, each on the smallest system
ess_test(contracts ess::ess)
set_tests_properties(contracts PROPERTIES LABELS harden)
