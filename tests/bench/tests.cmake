# Benchmarks: programs that print numbers, not run by ctest.

add_executable(bench_paths bench/bench_paths.cpp)
target_link_libraries(bench_paths PRIVATE longpole_analysis)
