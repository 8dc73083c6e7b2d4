// SPDX-License-Identifier: GPL-3.0-or-later
// MPI from a template's member function. The marks name lines.
#include <mpi.h>

namespace grid {

template <typename Value>
struct Halo {
    __attribute__((noinline)) Value sum(Value value, int)
    {
        Value all = 0;
        MPI_Allreduce(&value, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);  // mark: allreduce
        return all;
    }
};

}  // namespace grid

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    grid::Halo<double> halo;
    volatile double value = 1;
    for (int i = 0; i < 4; ++i) value = halo.sum(value, i);  // mark: sum
    MPI_Finalize();
    return 0;
}
