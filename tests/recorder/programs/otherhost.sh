#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# HOST COMMAND...: what ssh would do for mpirun, on this machine: HOST has its own name, and a clock that is ahead by as
# many thousand seconds as the digit at its end says.
case $1 in -*) shift ;; esac
ahead=${1#"${1%?}"}000
name=$1
shift
exec unshare --uts --time --monotonic "$ahead" --boottime "$ahead" --fork sh -c "hostname $name && $*"
