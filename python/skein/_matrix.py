"""Sparse matrices as skein_csr wants them, from whatever numpy and scipy users have."""
from __future__ import annotations

import ctypes
from typing import NamedTuple

import numpy

from . import _lib


class CSR(NamedTuple):
    """A sparse matrix by compressed rows: row i holds entries start[i] .. start[i+1]-1; given twice, they add up.
    scipy.sparse.csr_matrix((A.val, A.col, A.start), A.shape) makes one of scipy's."""
    start: numpy.ndarray  # int64, rows + 1
    col: numpy.ndarray  # int32
    val: numpy.ndarray  # float64
    shape: tuple[int, int]

    def toarray(self) -> numpy.ndarray:
        """The dense matrix."""
        dense = numpy.zeros(self.shape)
        rows = numpy.repeat(numpy.arange(self.shape[0]), numpy.diff(self.start))
        numpy.add.at(dense, (rows, self.col), self.val)
        return dense

    def __matmul__(self, x):
        """A x for a vector x."""
        rows = numpy.repeat(numpy.arange(self.shape[0]), numpy.diff(self.start))
        return numpy.bincount(rows, self.val * numpy.asarray(x, float)[self.col], self.shape[0])


def _checked(A: CSR, name: str) -> CSR:
    """Lengths agree; the rest (order of start, columns, finite numbers) is the library's to judge."""
    rows, cols = (_lib.integer(n, f"{name}.shape", 0) for n in A.shape)
    start = _lib.array(A.start, numpy.int64, (rows + 1,), f"{name}: start of the rows")
    val = _lib.array(A.val, numpy.float64, (None,), f"{name}: values")
    col = _lib.array(A.col, numpy.int32, (len(val),), f"{name}: columns")
    if start[0] != 0 or start[-1] != len(val):
        raise ValueError(f"{name}: rows go from {start[0]} to {start[-1]}, expected 0 to {len(val)}")
    return CSR(start, col, val, (rows, cols))


def _from_coo(rows, cols, values, shape, name) -> CSR:
    """Entries in any order; the order within a row is kept."""
    values = _lib.array(values, numpy.float64, (None,), f"{name}: values")
    rows = _lib.array(rows, numpy.int64, values.shape, f"{name}: rows")
    cols = _lib.array(cols, numpy.int32, values.shape, f"{name}: columns")
    if len(rows) and not 0 <= rows.min() <= rows.max() < shape[0]:
        raise ValueError(f"{name}: rows go from {rows.min()} to {rows.max()}, expected 0 to {shape[0] - 1}")
    order = numpy.argsort(rows, kind="stable")
    start = numpy.concatenate([[0], numpy.cumsum(numpy.bincount(rows, minlength=shape[0]))])
    return _checked(CSR(start, cols[order], values[order], shape), name)


def _from_bsr(blocks, indices, indptr, shape, name) -> CSR:
    """Blocks of R x C, block columns `indices`, block rows from indptr."""
    blocks = _lib.array(blocks, numpy.float64, (None, None, None), f"{name}: blocks")
    count, R, C = blocks.shape
    if not R or not C or shape[0] % R or shape[1] % C:
        raise ValueError(f"{name}: blocks of {R} x {C} do not fill {shape[0]} x {shape[1]}")
    indptr = _lib.array(indptr, numpy.int64, (shape[0] // R + 1,), f"{name}: start of the rows")
    indices = _lib.array(indices, numpy.int64, (count,), f"{name}: columns")
    if indptr[0] != 0 or indptr[-1] != count or (numpy.diff(indptr) < 0).any():
        raise ValueError(f"{name}: rows of blocks must rise from 0 to {count}")
    rows = R * numpy.repeat(numpy.arange(len(indptr) - 1), numpy.diff(indptr))[:, None, None] + numpy.arange(R)[:, None]
    cols = C * indices[:, None, None] + numpy.arange(C)
    rows, cols = numpy.broadcast_to(rows, blocks.shape), numpy.broadcast_to(cols, blocks.shape)
    return _from_coo(rows.ravel(), cols.ravel(), blocks.ravel(), shape, name)


def _from_tuple(parts, shape, name) -> CSR:
    """As scipy's constructors: (values, (rows, cols)), (values, columns, start) or the same with 3-D blocks."""
    if shape is None:
        raise ValueError(f"{name}: the size of a sparse matrix is not known, pass a skein.CSR or a scipy matrix")
    if len(parts) == 2:
        return _from_coo(*parts[1], parts[0], shape, name)
    if len(parts) != 3:
        raise TypeError(f"{name}: expected (values, (rows, columns)) or (values, columns, start)")
    if numpy.ndim(parts[0]) == 3:
        return _from_bsr(*parts, shape, name)
    return _checked(CSR(parts[2], parts[1], parts[0], shape), name)


def csr(value, shape, name) -> CSR:
    """Whatever matrix as a CSR of `shape` (None: as it comes)."""
    if isinstance(value, CSR):
        result = _checked(value, name)
    elif isinstance(value, tuple):
        result = _from_tuple(value, shape, name)
    elif getattr(value, "format", "") == "bsr":
        result = _from_bsr(value.data, value.indices, value.indptr, value.shape, name)
    elif getattr(value, "format", "") == "coo":
        result = _from_coo(value.row, value.col, value.data, value.shape, name)
    elif hasattr(value, "tocsr"):
        value = value.tocsr()
        result = _checked(CSR(value.indptr, value.indices, value.data, value.shape), name)
    else:
        dense = _lib.array(value, numpy.float64, (None, None), name)
        rows, cols = numpy.nonzero(dense)
        result = _from_coo(rows, cols, dense[rows, cols], dense.shape, name)
    if shape is not None and result.shape != tuple(shape):
        raise ValueError(f"{name}: is {result.shape[0]} x {result.shape[1]}, expected {shape[0]} x {shape[1]}")
    return result


def csr_struct(A: CSR | None):
    """As the library sees it; the arrays must live as long. None: an empty one."""
    if A is None:
        return _lib.Csr()
    return _lib.Csr(*A.shape, _lib.pointer(A.start, ctypes.c_int64), _lib.pointer(A.col, ctypes.c_int),
                    _lib.pointer(A.val, ctypes.c_double))


def csr_copy(A) -> CSR:
    """A copy of the library's matrix."""
    start = _lib.copied(A.start, A.rows + 1, numpy.int64)
    count = int(start[-1])
    col, val = _lib.copied(A.col, count, numpy.int32), _lib.copied(A.val, count, numpy.float64)
    return CSR(start, col, val, (A.rows, A.cols))
