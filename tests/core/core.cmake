# Tests of what every study needs.
ess_test(search experiments)
