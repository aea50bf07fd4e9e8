/* Fields that are looked for in the wrong place, and where they are. */
#include "scene/reader.h"

#include <string.h>

static const char material[] = "a material: 'materials' has them by name", root[] = "the 'root' of a rod",
                  many[] = "'bundle', 'grid' or 'groom'", shape[] = "the 'shape' of a body",
                  rod[] = "an entry of 'rods'", body[] = "an entry of 'bodies'", scene[] = "the scene itself",
                  times[] = "'time'", solver[] = "'solver'", output[] = "'output'",
                  pairs[] = "'pairs', or 'friction' of the scene";

/* within: the list of the scene whose entry it was looked for in; NULL: anywhere. The first that fits is meant. */
static const struct {
  const char *within, *name, *home;
} rows[] = {
    {"bodies", "radius", shape},  {"bodies", "size", shape},
    {"bodies", "file", shape},    {"bodies", "type", shape},
    {"bodies", "height", shape},  {NULL, "radius", material},
    {NULL, "radii", material},    {NULL, "E", material},
    {NULL, "G", material},        {NULL, "poisson", material},
    {NULL, "density", material},  {NULL, "damping", material},
    {NULL, "drag", material},     {NULL, "collision_radius", material},
    {"rods", "colour", material}, {"rods", "preset", material},
    {"rods", "position", root},   {"rods", "direction", root},
    {"rods", "normal", root},     {"rods", "body", root},
    {"rods", "type", root},       {"rods", "motion", root},
    {"rods", "spacing", many},    {"rods", "jitter", many},
    {"rods", "seed", many},       {NULL, "dt", times},
    {NULL, "dt_min", times},      {NULL, "duration", times},
    {NULL, "settle", times},      {NULL, "theta", times},
    {NULL, "tol", solver},        {NULL, "method", solver},
    {NULL, "local", solver},      {NULL, "max_sweeps", solver},
    {NULL, "sleep", solver},      {NULL, "fps", output},
    {NULL, "contacts", output},   {NULL, "checkpoint_every", output},
    {NULL, "mu", pairs},          {"bodies", "friction", pairs},
    {"rods", "friction", pairs},  {NULL, "friction", scene},
    {NULL, "restitution", scene}, {NULL, "gravity", scene},
    {NULL, "wind", scene},        {NULL, "units", scene},
    {NULL, "length", rod},        {NULL, "elements", rod},
    {NULL, "material", rod},      {NULL, "model", rod},
    {NULL, "mass", body},
};

const char *sk_field_home(const sk_at *field)
{
  const sk_at *item = field->up; /* of a list of the scene: "rods", "bodies" */
  const char *list = item && !item->key && item->up && item->up->key && item->up->up ? item->up->key : "";
  for (int k = 0; k < SK_COUNT(rows); k++)
    if (!strcmp(rows[k].name, field->key) && (!rows[k].within || !strcmp(rows[k].within, list))) return rows[k].home;
  return NULL;
}
