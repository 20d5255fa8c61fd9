# Tests of the comparison of result folders, of the look at the environment before measuring, and of
# the JSON Schemas.
ess_test(measure_mann_whitney measure)
ess_test(compare experiments)
ess_test(compare_strict experiments)

# the program itself
ess_test(compare_command experiments)
target_compile_definitions(test_compare_command PRIVATE ESSBENCH="$<TARGET_FILE:essbench>")
add_dependencies(test_compare_command essbench)

# what essbench writes against schema/, and damage of it; skipped without python3's jsonschema
find_program(PYTHON3 python3)
set(parts quick calibration mujoco precision speed scale tolerance)
if(ESS_SANITIZE OR CMAKE_C_COMPILER_ID MATCHES Clang)
  # minutes of experiments that other tests have run in this build, for the same files once more
  list(REMOVE_ITEM parts calibration mujoco speed scale)
endif()
foreach(part IN LISTS parts)
  if(PYTHON3)
    add_test(NAME schema_${part}
             COMMAND ${PYTHON3} ${CMAKE_CURRENT_SOURCE_DIR}/test_schema.py $<TARGET_FILE:essbench>
                     ${CMAKE_SOURCE_DIR}/schema ${part})
    set_tests_properties(schema_${part} PROPERTIES SKIP_RETURN_CODE 77)
  endif()
endforeach()
