/* As a file of the room hairs: the door of scene names that of rod for itself, not for hairs.
 * like: room_hairs
 * expect: error: .?rod/rod\.h */
#include "scene/scene.h"

#include "rod/rod.h"
