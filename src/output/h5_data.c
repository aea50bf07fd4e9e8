/* Groups, arrays, texts and attributes of an HDF5 file.
 *
 * No object carries a time: the same content is the same bytes. What is read was perhaps not written by us: links that
 * leave the file, arrays whose data lie elsewhere, sizes that the file cannot hold are refused. */
#include "output/output.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum {
  compact_bytes = 1024,    /* arrays up to here live in their header */
  packed_bytes = 4096,     /* arrays from here on are compressed */
  chunk_bytes = 1 << 18,   /* and divided */
  most_rows = INT_MAX / 8, /* so that sizes are safe in int */
  deflate_limit = 1100,    /* zlib cannot shrink data more than about 1032 times */
  longest_text = 4096,     /* bytes, of many */
  links_in_header = 64     /* groups up to here need no index */
};

/* ---- Writing ---- */

hid_t sk_h5_put_group(sk_h5 *h, hid_t in, const char *name, unsigned members)
{
  hid_t group = -1, how = H5Pcreate(H5P_GROUP_CREATE);
  bool ready = !h->failed && how >= 0 && H5Pset_obj_track_times(how, false) >= 0 &&
               H5Pset_link_phase_change(how, links_in_header, links_in_header / 2) >= 0 &&
               H5Pset_est_link_info(how, members + 4, 20) >= 0; /* room for its attributes, too: one piece */
  if (ready) group = H5Gcreate2(in, name, H5P_DEFAULT, how, H5P_DEFAULT);
  if (how >= 0) H5Pclose(how);
  if (group < 0) h->failed = true;
  return group;
}

void sk_h5_end(hid_t group)
{
  if (group >= 0) H5Gclose(group);
}

/* Filters of an array that is large enough for them, in chunks of whole rows. */
static bool set_chunks(hid_t how, const hsize_t *dims, int rank, size_t row_bytes, int packing)
{
  hsize_t chunk[2] = {chunk_bytes / row_bytes, rank > 1 ? dims[1] : 0};
  chunk[0] = SK_MIN(SK_MAX(chunk[0], 1), dims[0]);
  if (H5Pset_chunk(how, rank, chunk) < 0) return false;
  bool packs = (packing & SK_H5_PACKED) && H5Zfilter_avail(H5Z_FILTER_DEFLATE) > 0;
  if (packs && (H5Pset_shuffle(how) < 0 || H5Pset_deflate(how, 1) < 0)) return false;
  return !(packing & SK_H5_SUMMED) || H5Pset_fletcher32(how) >= 0;
}

void sk_h5_put(sk_h5 *h, hid_t in, const char *name, hid_t type, int64_t rows, int cols, const void *data, int packing)
{
  static const double nothing = 0; /* an empty array may be NULL, which HDF5 refuses */
  hsize_t dims[2] = {(hsize_t)rows, (hsize_t)cols};
  int rank = cols > 0 ? 2 : 1;
  size_t row_bytes = H5Tget_size(type) * (size_t)SK_MAX(cols, 1), bytes = row_bytes * (size_t)rows;
  hid_t space = H5Screate_simple(rank, dims, NULL), how = H5Pcreate(H5P_DATASET_CREATE), set = -1;
  bool ready = !h->failed && space >= 0 && how >= 0 && H5Pset_obj_track_times(how, false) >= 0;
  if (ready && bytes > 0 && packing & SK_H5_SUMMED) ready = set_chunks(how, dims, rank, row_bytes, packing);
  else if (ready && bytes > 0 && bytes <= compact_bytes) ready = H5Pset_layout(how, H5D_COMPACT) >= 0;
  else if (ready && bytes >= packed_bytes && packing) ready = set_chunks(how, dims, rank, row_bytes, packing);
  if (ready) set = H5Dcreate2(in, name, type, space, H5P_DEFAULT, how, H5P_DEFAULT);
  if (set < 0 || H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, rows ? data : &nothing) < 0) h->failed = true;
  if (set >= 0 && H5Dclose(set) < 0) h->failed = true;
  if (how >= 0) H5Pclose(how);
  if (space >= 0) H5Sclose(space);
}

/* A string type of that many bytes, the closing zero included; negative on failure. */
static hid_t text_type(size_t size)
{
  hid_t type = H5Tcopy(H5T_C_S1);
  if (type >= 0 && H5Tset_size(type, size) >= 0 && H5Tset_cset(type, H5T_CSET_UTF8) >= 0) return type;
  if (type >= 0) H5Tclose(type);
  return -1;
}

void sk_h5_put_text(sk_h5 *h, hid_t in, const char *name, const char *text)
{
  hid_t type = text_type(strlen(text) + 1), space = H5Screate(H5S_SCALAR), how = H5Pcreate(H5P_DATASET_CREATE),
        set = -1;
  if (!h->failed && type >= 0 && space >= 0 && how >= 0 && H5Pset_obj_track_times(how, false) >= 0)
    set = H5Dcreate2(in, name, type, space, H5P_DEFAULT, how, H5P_DEFAULT);
  if (set < 0 || H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, text) < 0) h->failed = true;
  if (set >= 0 && H5Dclose(set) < 0) h->failed = true;
  if (how >= 0) H5Pclose(how);
  if (space >= 0) H5Sclose(space);
  if (type >= 0) H5Tclose(type);
}

void sk_h5_put_texts(sk_h5 *h, hid_t in, const char *name, const char *text, size_t size, int count)
{
  hid_t type = text_type(size);
  if (type < 0) h->failed = true;
  else sk_h5_put(h, in, name, type, count, 0, text, SK_H5_PACKED), H5Tclose(type);
}

void sk_h5_put_attribute(sk_h5 *h, hid_t in, const char *name, hid_t type, const void *value)
{
  hid_t space = H5Screate(H5S_SCALAR), attribute = -1;
  if (!h->failed && space >= 0) attribute = H5Acreate2(in, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
  if (attribute < 0 || H5Awrite(attribute, type, value) < 0) h->failed = true;
  if (attribute >= 0) H5Aclose(attribute);
  if (space >= 0) H5Sclose(space);
}

/* ---- Reading ---- */

static skein_status damaged(const char *name)
{
  return sk_fail(SKEIN_BAD_INPUT, "'%s' is damaged", name);
}

/* The object behind a link that stays in this file. */
static skein_status check_link(hid_t in, const char *name)
{
  H5L_info_t link;
  htri_t there = H5Lexists(in, name, H5P_DEFAULT);
  if (there < 0) return damaged(name);
  if (!there) return sk_fail(SKEIN_BAD_INPUT, "has no '%s'", name);
  if (H5Lget_info(in, name, &link, H5P_DEFAULT) < 0) return damaged(name);
  if (link.type != H5L_TYPE_HARD) return sk_fail(SKEIN_BAD_INPUT, "'%s' is a link out of the file", name);
  return sk_ok();
}

skein_status sk_h5_get_group(hid_t in, const char *name, hid_t *group)
{
  *group = -1;
  skein_status s = check_link(in, name);
  if (s.code != SKEIN_OK) return s;
  *group = H5Gopen2(in, name, H5P_DEFAULT);
  return *group >= 0 ? s : sk_fail(SKEIN_BAD_INPUT, "'%s' is not a group", name);
}

/* The data are in this file, and not much fewer than they claim to be. */
static bool holds(const sk_h5 *h, hid_t set, uint64_t bytes)
{
  hid_t how = H5Dget_create_plist(set);
  H5D_layout_t layout = how >= 0 ? H5Pget_layout(how) : H5D_LAYOUT_ERROR;
  int outside = how >= 0 ? H5Pget_external_count(how) : 1;
  if (how >= 0) H5Pclose(how);
  if ((layout != H5D_COMPACT && layout != H5D_CONTIGUOUS && layout != H5D_CHUNKED) || outside != 0) return false;
  uint64_t stored = H5Dget_storage_size(set);
  if (stored > (uint64_t)h->size) return false;
  return layout == H5D_CHUNKED ? bytes / deflate_limit <= stored : bytes <= stored;
}

/* The numbers of an open dataset whose sizes are as expected. */
static skein_status get_numbers(const sk_h5 *h, hid_t set, const char *name, hid_t type, int64_t *rows, int cols,
                                void **data)
{
  hsize_t dims[2] = {0, 0};
  hid_t space = H5Dget_space(set), stored = H5Dget_type(set);
  int rank = space >= 0 ? H5Sget_simple_extent_ndims(space) : -1;
  bool shape = rank == (cols > 0 ? 2 : 1) && H5Sget_simple_extent_dims(space, dims, NULL) >= 0;
  bool kind = stored >= 0 && H5Tget_class(stored) == H5Tget_class(type);
  if (space >= 0) H5Sclose(space);
  if (stored >= 0) H5Tclose(stored);
  if (!shape || !kind || (cols > 0 && dims[1] != (hsize_t)cols))
    return sk_fail(SKEIN_BAD_INPUT, "'%s' is not an array of %s with %d per row", name,
                   H5Tget_class(type) == H5T_FLOAT ? "numbers" : "whole numbers", SK_MAX(cols, 1));
  if (*rows >= 0 && dims[0] != (hsize_t)*rows)
    return sk_fail(SKEIN_BAD_INPUT, "'%s' has %llu rows, expected %lld", name, (unsigned long long)dims[0],
                   (long long)*rows);
  uint64_t bytes = dims[0] * H5Tget_size(type) * (uint64_t)SK_MAX(cols, 1);
  if (H5Tget_size(type) > 1 && dims[0] > most_rows) return damaged(name);
  if (dims[0] > SIZE_MAX / 64 || !holds(h, set, bytes)) return damaged(name);
  *data = sk_calloc(bytes, 1);
  if (!*data) return sk_no_memory();
  *rows = (int64_t)dims[0];
  if (*rows == 0 || H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, *data) >= 0) return sk_ok();
  free(*data);
  *data = NULL;
  return damaged(name);
}

skein_status sk_h5_get(const sk_h5 *h, hid_t in, const char *name, hid_t type, int64_t *rows, int cols, void **data)
{
  *data = NULL;
  skein_status s = check_link(in, name);
  if (s.code != SKEIN_OK) return s;
  hid_t set = H5Dopen2(in, name, H5P_DEFAULT);
  if (set < 0) return sk_fail(SKEIN_BAD_INPUT, "'%s' is not an array", name);
  s = get_numbers(h, set, name, type, rows, cols, data);
  H5Dclose(set);
  return s;
}

static skein_status get_text(const sk_h5 *h, hid_t set, const char *name, char **text)
{
  hid_t type = H5Dget_type(set), space = H5Dget_space(set);
  bool fixed = type >= 0 && space >= 0 && H5Tget_class(type) == H5T_STRING && H5Tis_variable_str(type) == 0 &&
               H5Sget_simple_extent_npoints(space) == 1;
  size_t size = fixed ? H5Tget_size(type) : 0;
  skein_status s =
      fixed && size > 0 && holds(h, set, size) ? sk_ok() : sk_fail(SKEIN_BAD_INPUT, "'%s' is not a text", name);
  if (s.code == SKEIN_OK && !(*text = sk_calloc(size + 1, 1))) s = sk_no_memory();
  if (s.code == SKEIN_OK && H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, *text) < 0) s = damaged(name);
  if (type >= 0) H5Tclose(type);
  if (space >= 0) H5Sclose(space);
  if (s.code != SKEIN_OK) free(*text), *text = NULL;
  return s;
}

skein_status sk_h5_get_text(const sk_h5 *h, hid_t in, const char *name, char **text)
{
  *text = NULL;
  skein_status s = check_link(in, name);
  if (s.code != SKEIN_OK) return s;
  hid_t set = H5Dopen2(in, name, H5P_DEFAULT);
  if (set < 0) return sk_fail(SKEIN_BAD_INPUT, "'%s' is not a text", name);
  s = get_text(h, set, name, text);
  H5Dclose(set);
  return s;
}

/* Texts of an open dataset, in memory one byte longer than in the file: with a closing zero, whatever they end with. */
static skein_status get_texts(const sk_h5 *h, hid_t set, hid_t stored, const char *name, char **text, size_t *size,
                              int *count)
{
  hsize_t rows = 0;
  hid_t space = H5Dget_space(set), type = H5Tcopy(stored);
  size_t bytes = H5Tget_size(stored);
  bool shape =
      space >= 0 && H5Sget_simple_extent_ndims(space) == 1 && H5Sget_simple_extent_dims(space, &rows, NULL) >= 0;
  skein_status s = sk_ok();
  if (!shape || bytes == 0 || bytes > longest_text || rows > most_rows || !holds(h, set, bytes * rows) ||
      H5Tset_size(type, bytes + 1) < 0 || H5Tset_strpad(type, H5T_STR_NULLTERM) < 0)
    s = damaged(name);
  if (s.code == SKEIN_OK && !(*text = sk_calloc(rows, bytes + 1))) s = sk_no_memory();
  if (s.code == SKEIN_OK && rows > 0 && H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, *text) < 0) s = damaged(name);
  if (s.code == SKEIN_OK) *size = bytes + 1, *count = (int)rows;
  else free(*text), *text = NULL;
  if (type >= 0) H5Tclose(type);
  if (space >= 0) H5Sclose(space);
  return s;
}

skein_status sk_h5_get_texts(const sk_h5 *h, hid_t in, const char *name, char **text, size_t *size, int *count)
{
  *text = NULL, *size = 0, *count = 0;
  skein_status s = check_link(in, name);
  if (s.code != SKEIN_OK) return s;
  hid_t set = H5Dopen2(in, name, H5P_DEFAULT), type = set >= 0 ? H5Dget_type(set) : -1;
  if (type < 0 || H5Tget_class(type) != H5T_STRING || H5Tis_variable_str(type) != 0)
    s = sk_fail(SKEIN_BAD_INPUT, "'%s' is not an array of texts", name);
  else s = get_texts(h, set, type, name, text, size, count);
  if (type >= 0) H5Tclose(type);
  if (set >= 0) H5Dclose(set);
  return s;
}

skein_status sk_h5_get_attribute(hid_t in, const char *name, hid_t type, void *value)
{
  htri_t there = H5Aexists(in, name);
  if (there <= 0) return sk_fail(SKEIN_BAD_INPUT, "has no attribute '%s'", name);
  hid_t attribute = H5Aopen(in, name, H5P_DEFAULT), space = -1, stored = -1;
  if (attribute >= 0) space = H5Aget_space(attribute), stored = H5Aget_type(attribute);
  bool good = space >= 0 && stored >= 0 && H5Sget_simple_extent_npoints(space) == 1 &&
              H5Tget_class(stored) == H5Tget_class(type) && H5Aread(attribute, type, value) >= 0;
  if (stored >= 0) H5Tclose(stored);
  if (space >= 0) H5Sclose(space);
  if (attribute >= 0) H5Aclose(attribute);
  return good ? sk_ok() : sk_fail(SKEIN_BAD_INPUT, "attribute '%s' is not one number", name);
}
