# What tests of pages share: made-up results, as make results leaves them. Sourced.
# SPDX-License-Identifier: GPL-3.0-or-later

# makes the folder $2 from the sources $1, of the commit $3
made_up() {
  local of=$1/tests/tools/results name
  mkdir -p "$2/150" "$2/callback"
  cp -r "$of/." "$2"
  cp "$1"/results/outside* "$2"
  cp "$1"/tests/plots/tables/{tolerance,event_times}.csv "$2"
  cp "$of/mujoco_settings.csv" "$2/callback"
  for name in order calibration derivative_error limbs contact_modes rigid_soft crossing_cost mujoco_settings \
    tolerance event_times ensemble 150/sweep callback/mujoco_settings; do
    sed "s,any,$name," "$of/any.json" >"$2/$name.json"
  done
  for name in ant hopper walker2d legs-6 legs-20 legs-6-twin legs-20-twin ant-twin; do
    mkdir -p "$2/robots/$name" && cp "$of/robot.json" "$2/robots/$name"
  done
  for name in ant half_cheetah hopper humanoid pusher inverted_double_pendulum swimmer walker2d walker2d-stepping legs-6; do
    mkdir -p "$2/gradients/$name" && cp "$of/robot_derivative.json" "$2/gradients/$name"
  done
  for name in ant half_cheetah hopper walker2d; do
    mkdir -p "$2/settings/$name" && cp "$of/robot_compare.json" "$2/settings/$name"
  done
  rm "$2"/{any,robot,robot_compare,robot_derivative}.json
  sed -i "s/0123456789/$3/" $(find "$2" -name '*.json')
  databases "$1" "$2"
}

# makes the databases below folder $2 anew, from the sources $1
databases() {
  find "$2" -name essbench.sqlite -delete
  "$1/tests/support/made_up.py" "$1" "$2"
}
