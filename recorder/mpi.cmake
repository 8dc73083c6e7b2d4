# SPDX-License-Identifier: GPL-3.0-or-later
# longpole_find_mpi(openmpi|mpich): LONGPOLE_MPICC_<mpi>, its compiler, and LONGPOLE_MPI_<mpi>_INCLUDES, empty where it
# is not installed. Debian has both side by side under names of their own; elsewhere mpicc is one of the two.
function(longpole_find_mpi mpi)
  find_program(LONGPOLE_MPICC_${mpi} NAMES mpicc.${mpi} mpicc DOC "C compiler of ${mpi}")
  set(includes "")
  if(LONGPOLE_MPICC_${mpi})
    execute_process(COMMAND ${LONGPOLE_MPICC_${mpi}} -showme:incdirs OUTPUT_VARIABLE shown ERROR_QUIET
      RESULT_VARIABLE failed OUTPUT_STRIP_TRAILING_WHITESPACE)
    if(mpi STREQUAL openmpi AND NOT failed)
      separate_arguments(includes UNIX_COMMAND "${shown}")
    elseif(mpi STREQUAL mpich AND failed)
      execute_process(COMMAND ${LONGPOLE_MPICC_${mpi}} -show OUTPUT_VARIABLE shown ERROR_QUIET)
      string(REGEX MATCHALL "-I[^ \n]+" includes "${shown}")
      list(TRANSFORM includes REPLACE "^-I" "")
    endif()
  endif()
  if(includes)
    message(STATUS "Longpole: the recorder is built for ${mpi} (${LONGPOLE_MPICC_${mpi}})")
  else()
    message(STATUS "Longpole: ${mpi} was not found")
  endif()
  set(LONGPOLE_MPI_${mpi}_INCLUDES "${includes}" PARENT_SCOPE)
endfunction()
