#!/usr/bin/env python3
"""Regions of a Python program, by the C interface of tacho's library (tacho.h) and ctypes.

    TACHO_REGIONS=text examples/regions.py      the program prints a report at its end
    examples/regions.py                         regions are turned on, and the figures are read

An execution costs about 2.5 µs more here, nearly all of it in Python, also while regions are off. The library subtracts what an
empty region costs in C, not the cost of Python. So put regions around parts that take 100 µs or more. TACHO_LIBRARY names the
library if it is not where the loader looks.
"""
import ctypes
import os

tacho = ctypes.CDLL(os.environ.get("TACHO_LIBRARY", "libtacho.so.0"))


class RegionFigures(ctypes.Structure):
    _fields_ = [("size", ctypes.c_size_t), ("name", ctypes.c_char_p), ("name_length", ctypes.c_size_t),
                ("executions", ctypes.c_uint64), ("recursions", ctypes.c_uint64), ("threads", ctypes.c_uint64),
                ("unfinished", ctypes.c_uint64), ("quantities", ctypes.c_size_t), ("too_short", ctypes.c_bool)]


class Quantity(ctypes.Structure):
    _fields_ = [("size", ctypes.c_size_t), ("name", ctypes.c_char_p), ("unit", ctypes.c_char_p),
                ("error", ctypes.c_char_p), ("executions", ctypes.c_uint64), ("total", ctypes.c_double),
                ("half_width95", ctypes.c_double), ("share", ctypes.c_double), ("minimum", ctypes.c_double),
                ("mean", ctypes.c_double), ("median", ctypes.c_double), ("p99", ctypes.c_double),
                ("maximum", ctypes.c_double), ("cost", ctypes.c_double), ("status", ctypes.c_int),
                ("has_interval", ctypes.c_bool)]


tacho.tacho_region_named.restype = ctypes.c_uint32
tacho.tacho_region_named.argtypes = [ctypes.c_char_p]
tacho.tacho_region_begin.argtypes = tacho.tacho_region_end.argtypes = [ctypes.c_uint32]
tacho.tacho_report_make.restype = ctypes.c_void_p
tacho.tacho_report_free.argtypes = [ctypes.c_void_p]
tacho.tacho_report_size.restype = ctypes.c_size_t
tacho.tacho_report_size.argtypes = [ctypes.c_void_p]
tacho.tacho_report_ticks_hz.restype = ctypes.c_double
tacho.tacho_report_ticks_hz.argtypes = [ctypes.c_void_p]
tacho.tacho_report_region.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.POINTER(RegionFigures)]
tacho.tacho_report_quantity.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_size_t, ctypes.POINTER(Quantity)]


class Region:
    """A region, for `with`: make it once, and use it in one thread at a time."""
    def __init__(self, name):
        self.handle = tacho.tacho_region_named(name.encode())

    def __enter__(self):
        tacho.tacho_region_begin(self.handle)

    def __exit__(self, *error):
        tacho.tacho_region_end(self.handle)


def report():
    """The figures of all regions: name, executions, and the quantities by name."""
    made = tacho.tacho_report_make()
    try:
        for number in range(tacho.tacho_report_size(made)):
            region = RegionFigures(size=ctypes.sizeof(RegionFigures))
            tacho.tacho_report_region(made, number, region)
            quantities = {}
            for i in range(region.quantities):
                quantity = Quantity(size=ctypes.sizeof(Quantity))
                tacho.tacho_report_quantity(made, number, i, quantity)
                quantities[quantity.name.decode()] = {"total": quantity.total, "median": quantity.median, "p99": quantity.p99}
            yield region.name.decode(), region.executions, quantities
    finally:
        tacho.tacho_report_free(made)


def main():
    tacho.tacho_regions_on()
    fill, sort = Region("fill"), Region("sort")
    for _ in range(100):
        with fill:
            numbers = [(7919 * i) % 10007 for i in range(2000)]
        with sort:
            numbers.sort()
    for name, executions, quantities in report():
        print(f"{name}: {executions} executions, median {quantities['ticks']['median']:.0f} ticks")


if __name__ == "__main__":
    main()
