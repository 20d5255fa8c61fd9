# Tests of the MuJoCo bridge, against whichever MuJoCo is configured.
foreach(duty run refusals gap converge corners)
  ess_test(bridge_${duty} mujoco_bridge)
endforeach()

# the locale xmlgen.cmake made
set_tests_properties(bridge_run PROPERTIES ENVIRONMENT LOCPATH=${mjcf_locales})

# the scene in plain MuJoCo, without the bridge
ess_test(bridge_plain xmlgen MuJoCo::MuJoCo)

# a library that claims another version than the header
ess_test(bridge_version mujoco_bridge)
target_link_options(test_bridge_version PRIVATE -Wl,--wrap=mj_version)

# the contact force as a callback
ess_test(bridge_callback mujoco_bridge MuJoCo::MuJoCo)

# flags and timers
ess_test(bridge_profile mujoco_bridge MuJoCo::MuJoCo)

# robots; and, no tests, what the field of an MJCF costs, what falls cost, and what bounds steps
if(ESS_ROBOTS)
  foreach(duty open field converge kinds physics runs twin)
    ess_test(robot_${duty} mujoco_bridge MuJoCo::MuJoCo Threads::Threads)
  endforeach()

  add_executable(robot_costs mujoco_bridge/robot_costs.c)
  target_link_libraries(robot_costs PRIVATE mujoco_bridge)
  ess_compile(robot_costs)
  add_executable(robot_falls mujoco_bridge/robot_falls.c)
  target_link_libraries(robot_falls PRIVATE mujoco_bridge measure MuJoCo::MuJoCo)
  ess_compile(robot_falls)
  add_executable(robot_stiffness mujoco_bridge/robot_stiffness.c)
  target_link_libraries(robot_stiffness PRIVATE mujoco_bridge GSL::gsl CVODE::CVODE)
  ess_compile(robot_stiffness)
endif()
