/* As a file of the tool, which has the front door only.
 * like: skein_tool
 * expect: error: .?base/base\.h */
#include "base/base.h"
