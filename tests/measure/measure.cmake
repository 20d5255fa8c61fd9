# Tests of the measure room.
foreach(duty clock turns statistics fit environment files numbers csv json progress store)
  ess_test(measure_${duty} measure)
endforeach()
