# SPDX-License-Identifier: GPL-3.0-or-later
# Two ranks exchange numbers in Python (mpi4py): from two lines of one function, which two others call, and from the
# module itself. With an argument a second thread of Python sleeps meanwhile.
import sys
import threading
import time

from mpi4py import MPI

world = MPI.COMM_WORLD


class Halo:
    def exchange(self, rounds):
        other = 1 - world.Get_rank()
        for _ in range(rounds):
            if world.Get_rank() == 0:
                world.send("numbers", dest=other, tag=1)  # mark: send
                world.recv(source=other, tag=2)  # mark: receive
            else:
                world.recv(source=other, tag=1)
                world.send([1, 2, 3], dest=other, tag=2)  # mark: answer


def solve(halo):
    halo.exchange(3)  # mark: solve


def check(halo):
    halo.exchange(2)  # mark: check


if len(sys.argv) > 1:
    threading.Thread(target=time.sleep, args=(0.5,), daemon=True).start()
solve(Halo())  # mark: main solve
check(Halo())  # mark: main check
world.Barrier()  # mark: barrier
