// Regions of a Rust program, by the C interface of tacho's library (tacho.h).
//
//   rustc -O examples/regions.rs -L LIBRARIES        LIBRARIES: the folder of libtacho.so
//   TACHO_REGIONS=text ./regions                     the program prints a report at its end
//   ./regions                                        regions are turned on, and the figures are read
//
// While regions are off, a begin or an end is one call.
use std::ffi::{CStr, CString};
use std::os::raw::{c_char, c_int};
use std::ptr::null;

#[repr(C)]
struct RegionFigures {
    size: usize,
    name: *const c_char,
    name_length: usize,
    executions: u64,
    recursions: u64,
    threads: u64,
    unfinished: u64,
    quantities: usize,
    too_short: bool,
}

#[repr(C)]
struct Quantity {
    size: usize,
    name: *const c_char,
    unit: *const c_char,
    error: *const c_char,
    executions: u64,
    total: f64,
    half_width95: f64,
    share: f64,
    minimum: f64,
    mean: f64,
    median: f64,
    p99: f64,
    maximum: f64,
    cost: f64,
    status: c_int,
    has_interval: bool,
}

enum Report {}

#[link(name = "tacho")]
extern "C" {
    fn tacho_region_named(name: *const c_char) -> u32;
    fn tacho_region_begin(region: u32);
    fn tacho_region_end(region: u32);
    fn tacho_regions_on();
    fn tacho_report_make() -> *mut Report;
    fn tacho_report_free(report: *mut Report);
    fn tacho_report_size(report: *const Report) -> usize;
    fn tacho_report_region(report: *const Report, region: usize, to: *mut RegionFigures) -> c_int;
    fn tacho_report_quantity(report: *const Report, region: usize, quantity: usize, to: *mut Quantity) -> c_int;
}

/// A region. Make it once.
#[derive(Clone, Copy)]
struct Region(u32);

impl Region {
    fn new(name: &str) -> Region {
        let name = CString::new(name).expect("a name without 0");
        Region(unsafe { tacho_region_named(name.as_ptr()) })
    }

    /// One execution: to the end of the guard's scope.
    #[must_use]
    fn begin(self) -> Execution {
        unsafe { tacho_region_begin(self.0) };
        Execution(self, std::marker::PhantomData)
    }
}

/// It ends in the thread that began it, so it is not Send.
struct Execution(Region, std::marker::PhantomData<*const ()>);

impl Drop for Execution {
    fn drop(&mut self) {
        unsafe { tacho_region_end(self.0 .0) };
    }
}

fn print_figures() {
    unsafe {
        let report = tacho_report_make();
        assert!(!report.is_null(), "no memory");
        for number in 0..tacho_report_size(report) {
            let mut region = RegionFigures {
                size: std::mem::size_of::<RegionFigures>(), name: null(), name_length: 0, executions: 0, recursions: 0,
                threads: 0, unfinished: 0, quantities: 0, too_short: false,
            };
            tacho_report_region(report, number, &mut region);
            let mut ticks = Quantity {
                size: std::mem::size_of::<Quantity>(), name: null(), unit: null(), error: null(), executions: 0,
                total: 0.0, half_width95: 0.0, share: 0.0, minimum: 0.0, mean: 0.0, median: 0.0, p99: 0.0, maximum: 0.0,
                cost: 0.0, status: 0, has_interval: false,
            };
            tacho_report_quantity(report, number, 0, &mut ticks);
            let name = CStr::from_ptr(region.name).to_string_lossy();
            println!("{name}: {} executions, median {:.0} ticks", region.executions, ticks.median);
        }
        tacho_report_free(report);
    }
}

fn main() {
    unsafe { tacho_regions_on() };
    let (fill, sort) = (Region::new("fill"), Region::new("sort"));
    let mut medians: u64 = 0;
    for _ in 0..100 {
        let mut numbers: Vec<u64>;
        {
            let _execution = fill.begin();
            numbers = (0..20_000).map(|i| (7919 * i) % 10_007).collect();
        }
        let _execution = sort.begin();
        numbers.sort_unstable();
        medians += numbers[numbers.len() / 2];
    }
    println!("sum of medians {medians}");
    print_figures();
}
