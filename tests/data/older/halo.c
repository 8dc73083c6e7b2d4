#include <mpi.h>
#include <time.h>
static volatile double sink;
static void work(long n){double x=1;for(long i=0;i<n;++i)x=x*1.0000001+1e-9;sink=x;}
static void exchange(int rank,int size){
  double out=rank,in=0; MPI_Request r[2];
  MPI_Irecv(&in,1,MPI_DOUBLE,(rank+size-1)%size,7,MPI_COMM_WORLD,&r[0]);
  MPI_Isend(&out,1,MPI_DOUBLE,(rank+1)%size,7,MPI_COMM_WORLD,&r[1]);
  MPI_Waitall(2,r,MPI_STATUSES_IGNORE);
}
static void residual(void){double a=1,b;MPI_Allreduce(&a,&b,1,MPI_DOUBLE,MPI_SUM,MPI_COMM_WORLD);}
int main(int argc,char**argv){
  MPI_Init(&argc,&argv); int rank,size; MPI_Comm_rank(MPI_COMM_WORLD,&rank);MPI_Comm_size(MPI_COMM_WORLD,&size);
  for(int i=0;i<24;++i){ work(20000+40000*(rank==i%size)); exchange(rank,size); if(i%4==3) residual(); }
  MPI_Barrier(MPI_COMM_WORLD); MPI_Finalize(); return 0; }
