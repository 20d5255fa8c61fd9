# Tests of the comparison of result folders, of the look at the environment before measuring, and of
# the JSON Schemas.
ess_test(measure_mann_whitney measure)
ess_test(compare_strict experiments)
