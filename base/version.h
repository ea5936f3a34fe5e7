/* Which Weft this is. */
#ifndef WEFT_BASE_VERSION_H
#define WEFT_BASE_VERSION_H

/* "MAJOR.MINOR.PATCH", as CMakeLists.txt says. */
extern const char weft_version[];

/* What `git describe` said of the source when it was built, "" where it was built without git. */
extern const char weft_version_git[];

#endif
