/* Files that were given to the wrong command: what they are, and the command that was meant. */
#include "tool.h"

#include <string.h>

typedef enum kind { OTHER, SCENE, RUN, PROBLEM, KINDS } kind;

static kind kind_of_hdf5(const char *path)
{
  skein_run *run = NULL;
  skein_fclib problem = {0};
  bool is_run = skein_run_open(path, false, &run).code == SKEIN_OK;
  skein_run_close(run);
  if (is_run) return RUN;
  bool is_problem = skein_fclib_read(path, &problem).code == SKEIN_OK;
  skein_fclib_destroy(&problem);
  return is_problem ? PROBLEM : OTHER;
}

/* Its first bytes, and a zero. */
static void read_head(const char *path, char head[64])
{
  memset(head, 0, 64);
  FILE *file = fopen(path, "rb");
  size_t read = file ? fread(head, 1, 63, file) : 0;
  (void)read; /* zeros are behind */
  if (file) fclose(file);
}

static bool is_hdf5(const char *head)
{
  return !memcmp(head, "\x89HDF\r\n\x1a\n", 8);
}

bool tool_is_hdf5(const char *path)
{
  char head[64];
  read_head(path, head);
  return is_hdf5(head);
}

/* By its first bytes: the signature of HDF5, or the brace that scenes begin with. */
static kind kind_of(const char *path)
{
  char head[64];
  read_head(path, head);
  if (is_hdf5(head)) return kind_of_hdf5(path);
  return head[strspn(head, " \t\r\n\xEF\xBB\xBF")] == '{' ? SCENE : OTHER;
}

/* What is said of a file of kind `is` where one that the command takes was meant. */
static const char *const advice[TOOL_INPUTS][KINDS] = {
    [TOOL_SCENE] = {[RUN] =
                        "is a run, expected a scene; 'skein run --resume' goes on with a run, 'skein view' shows it",
                    [PROBLEM] = "is a friction problem, expected a scene; 'skein solve' solves it"},
    [TOOL_RUN] = {[SCENE] = "is a scene, expected a run; 'skein run' makes one of it",
                  [PROBLEM] = "is a friction problem, expected a run; 'skein info' and 'skein solve' take it"},
    [TOOL_PROBLEM] = {[SCENE] = "is a scene, expected a friction problem (FCLIB); 'skein run' simulates it",
                      [RUN] = "is a run, expected a friction problem (FCLIB); 'skein stats' says what happened in it, "
                              "'skein run --dump-problems' writes its problems"},
};

int tool_fail_input(const char *path, skein_status status, tool_input expected)
{
  const char *text = status.code == SKEIN_NO_MEMORY ? NULL : advice[expected][kind_of(path)];
  if (!text) return tool_fail(path, status);
  tool_error("%s: %s", path, text);
  return TOOL_BAD;
}
