/* As a file of the room measure: a name that it writes down by itself is no door either.
 * like: room_measure
 * expect: undefined reference to .sk_shape_bounds */
void sk_shape_bounds(void);
void planted(void);

void planted(void)
{
  sk_shape_bounds();
}
