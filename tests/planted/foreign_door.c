/* As a file of the room rod, which does not know bodies.
 * like: room_rod
 * expect: error: .?body/body\.h */
#include "body/body.h"
