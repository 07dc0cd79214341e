! Regions of a Fortran program, by the C interface of tacho's library (tacho.h) and iso_c_binding.
!
!   gfortran -O2 examples/regions.f90 -L LIBRARIES -ltacho -o regions    LIBRARIES: the folder of libtacho.so
!   TACHO_REGIONS=text ./regions                                         the program prints a report at its end
!   ./regions                                                            regions are turned on, and the figures are read
module tacho
  use, intrinsic :: iso_c_binding
  implicit none

  type, bind(c) :: region_figures
    integer(c_size_t) :: size
    type(c_ptr) :: name
    integer(c_size_t) :: name_length
    integer(c_int64_t) :: executions, recursions, threads, unfinished
    integer(c_size_t) :: quantities
    logical(c_bool) :: too_short
  end type

  type, bind(c) :: quantity
    integer(c_size_t) :: size
    type(c_ptr) :: name, unit, error
    integer(c_int64_t) :: executions
    real(c_double) :: total, half_width95, share, minimum, mean, median, p99, maximum, cost
    integer(c_int) :: status
    logical(c_bool) :: has_interval
  end type

  interface
    integer(c_int32_t) function tacho_region_named(name) bind(c)
      import
      character(kind=c_char), intent(in) :: name(*)  ! it ends with c_null_char
    end function
    subroutine tacho_region_begin(region) bind(c)
      import
      integer(c_int32_t), value :: region
    end subroutine
    subroutine tacho_region_end(region) bind(c)
      import
      integer(c_int32_t), value :: region
    end subroutine
    subroutine tacho_regions_on() bind(c)
    end subroutine
    type(c_ptr) function tacho_report_make() bind(c)
      import
    end function
    subroutine tacho_report_free(report) bind(c)
      import
      type(c_ptr), value :: report
    end subroutine
    integer(c_size_t) function tacho_report_size(report) bind(c)
      import
      type(c_ptr), value :: report
    end function
    integer(c_int) function tacho_report_region(report, region, figures) bind(c)
      import
      type(c_ptr), value :: report
      integer(c_size_t), value :: region
      type(region_figures), intent(inout) :: figures
    end function
    integer(c_int) function tacho_report_quantity(report, region, number, figures) bind(c)
      import
      type(c_ptr), value :: report
      integer(c_size_t), value :: region, number
      type(quantity), intent(inout) :: figures
    end function
  end interface
end module

program regions
  use tacho
  implicit none
  integer(c_int32_t) :: fill, total
  integer :: i, execution
  real(c_double) :: numbers(20000), sum_of_all

  call tacho_regions_on()
  fill = tacho_region_named("fill" // c_null_char)
  total = tacho_region_named("total" // c_null_char)
  sum_of_all = 0
  do execution = 1, 100
    call tacho_region_begin(fill)
    do i = 1, size(numbers)
      numbers(i) = mod(7919 * i, 10007)
    end do
    call tacho_region_end(fill)
    call tacho_region_begin(total)
    sum_of_all = sum_of_all + sum(numbers)
    call tacho_region_end(total)
  end do
  print '(a,es12.5)', "sum ", sum_of_all
  call print_figures()

contains

  subroutine print_figures()
    type(c_ptr) :: report
    type(region_figures) :: region
    type(quantity) :: ticks
    character(kind=c_char), pointer :: name(:)
    integer(c_size_t) :: number
    integer(c_int) :: status

    report = tacho_report_make()
    do number = 0, tacho_report_size(report) - 1
      region%size = c_sizeof(region)
      status = tacho_report_region(report, number, region)
      ticks%size = c_sizeof(ticks)
      status = tacho_report_quantity(report, number, 0_c_size_t, ticks)
      call c_f_pointer(region%name, name, [region%name_length])
      print '(*(a))', name, ": ", text(region%executions), " executions, median ", &
        text(int(ticks%median, c_int64_t)), " ticks"
    end do
    call tacho_report_free(report)
  end subroutine

  function text(number)
    integer(c_int64_t), intent(in) :: number
    character(len=:), allocatable :: text
    character(len=20) :: digits
    write (digits, '(i0)') number
    text = trim(digits)
  end function
end program
