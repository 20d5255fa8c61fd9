# libess alone: needs neither GSL nor MuJoCo
ess_test(driver ess::static) # not shared: the allocator is wrapped
ess_test(guards ess::ess)
ess_test(dopri5 ess::ess)
ess_test(local_error ess::ess)
ess_test(statuses ess::ess)
ess_test(sort ess::ess) # compiles sort.c itself, to count comparisons
foreach(duty api_arguments api_arm_ahead api_check_jacobian api_sliding api_wrong_jacobian api_dense api_observers
             batches order_2 rates refusals resets silent small_print)
  ess_test(${duty} ess::ess)
endforeach()
target_link_options(test_driver PRIVATE -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc)
