// SPDX-License-Identifier: GPL-3.0-or-later
// A program whose own library (-DLIBRARY) has functions that are called as MPI's are in Fortran, with other arguments.
#include <stdio.h>

#ifdef LIBRARY
int mpi_init(int *number) { return *number = 7; }
int mpi_scan(double by, int number) { return (int)(by * number); }
int mpi_test__(int a, int b, int c, int d, int e, int f, int g) { return a + b + c + d + e + f + 10 * g; }
int MPI_WAIT(void) { return 5; }
int mpi_start_(int number) { return number + 1; }
int through_the_library(void) { return mpi_scan(1.5, 4) + mpi_start_(3); }
#else
#include <mpi.h>

int mpi_init(int *number);
int mpi_scan(double by, int number);
int mpi_test__(int a, int b, int c, int d, int e, int f, int g);
int MPI_WAIT(void);
int through_the_library(void);

int main(int argc, char **argv)
{
    int number = 0;
    MPI_Init(&argc, &argv);
    for (int twice = 0; twice < 2; ++twice) {
        const int first = mpi_init(&number);
        printf("%d %d %d %d %d %d\n", first, number, mpi_scan(2.5, 2), mpi_test__(1, 2, 3, 4, 5, 6, 7), MPI_WAIT(),
               through_the_library());
    }
    MPI_Finalize();
    return 0;
}
#endif
