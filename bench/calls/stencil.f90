! The same sweeps, called from Fortran.
program main
    use iso_c_binding
    implicit none
    interface
        function sweep(u, v, n, m) bind(c) result(status)
            import :: c_double, c_int32_t, c_int64_t
            integer(c_int64_t), value :: n, m
            real(c_double), intent(in) :: u(m, n)
            real(c_double), intent(inout) :: v(m, n)
            integer(c_int32_t) :: status
        end function
    end interface
    real(c_double), allocatable :: u(:, :), v(:, :)
    integer(c_int64_t) :: n, sweeps, s, start, finish, rate
    real(c_double) :: best
    integer :: round
    character(20) :: text
    call get_command_argument(1, text); read (text, *) n
    call get_command_argument(2, text); read (text, *) sweeps
    allocate (u(n, n), v(n, n))
    u = 0; v = 0
    u(:, 1) = 1; v(:, 1) = 1
    best = huge(best)
    do round = 1, 5
        call system_clock(start, rate)
        do s = 1, sweeps / 2
            if (sweep(u, v, n, n) /= 0) stop 1
            if (sweep(v, u, n, n) /= 0) stop 1
        end do
        call system_clock(finish)
        best = min(best, real(finish - start, c_double) / real(rate, c_double))
    end do
    print *, best / sweeps * 1e6, u(n / 2 + 1, 2)
end program
