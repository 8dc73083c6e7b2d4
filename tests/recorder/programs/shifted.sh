#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Runs a program; the rank $SHIFTED_RANK with a clock that is an hour ahead, by libfaketime ($FAKETIME_LIBRARY).
if [ "${OMPI_COMM_WORLD_RANK:-$PMI_RANK}" = "$SHIFTED_RANK" ]; then
  export LD_PRELOAD="$LD_PRELOAD:$FAKETIME_LIBRARY" FAKETIME=+1h FAKETIME_DONT_FAKE_MONOTONIC=0 FAKETIME_NO_CACHE=1
fi
exec "$@"
