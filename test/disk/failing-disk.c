/*
 * Writing to files whose path begins with FAILING_DISK_DIR fails with the errno whose number stands in the file
 * FAILING_DISK_ERRNO. A second number there is a position: only what is written below it fails then (LMDB's meta pages);
 * a third one refuses to open files for writing as well.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

static long below;
static int is_shut;

static int ask(void) {
  const char *file = getenv("FAILING_DISK_ERRNO");
  if (!file) return 0;
  FILE *handle = fopen(file, "r");
  int number = 0;
  if (!handle) return 0;
  below = is_shut = 0;
  if (fscanf(handle, "%d %ld %d", &number, &below, &is_shut) < 1) number = 0;
  fclose(handle);
  return number;
}

static int is_ours(const char *path) {
  const char *dir = getenv("FAILING_DISK_DIR");
  return dir && strncmp(path, dir, strlen(dir)) == 0;
}

static int fails(int fd) {
  char link[64], path[4096];
  int before = errno;
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t length = readlink(link, path, sizeof path - 1);
  int number = 0;
  if (length > 0) {
    path[length] = 0;
    if (is_ours(path)) number = ask();
  }
  errno = number ? number : before;
  return number;
}

static int fails_somewhere(int fd) { return fails(fd) && !below; }

static int fails_at(int fd, off_t at) { return fails(fd) && (!below || at < below); }

#define NEXT(type, name) static type next; if (!next) next = (type)dlsym(RTLD_NEXT, name)

typedef ssize_t (*write_t)(int, const void *, size_t);
ssize_t write(int fd, const void *data, size_t size) { NEXT(write_t, "write"); return fails_somewhere(fd) ? -1 : next(fd, data, size); }
typedef ssize_t (*pwrite_t)(int, const void *, size_t, off_t);
ssize_t pwrite(int fd, const void *data, size_t size, off_t at) { NEXT(pwrite_t, "pwrite"); return fails_at(fd, at) ? -1 : next(fd, data, size, at); }
ssize_t pwrite64(int fd, const void *data, size_t size, off_t at) { NEXT(pwrite_t, "pwrite64"); return fails_at(fd, at) ? -1 : next(fd, data, size, at); }
typedef ssize_t (*writev_t)(int, const struct iovec *, int);
ssize_t writev(int fd, const struct iovec *data, int count) { NEXT(writev_t, "writev"); return fails_somewhere(fd) ? -1 : next(fd, data, count); }
typedef ssize_t (*pwritev_t)(int, const struct iovec *, int, off_t);
ssize_t pwritev(int fd, const struct iovec *data, int count, off_t at) { NEXT(pwritev_t, "pwritev"); return fails_at(fd, at) ? -1 : next(fd, data, count, at); }
ssize_t pwritev64(int fd, const struct iovec *data, int count, off_t at) { NEXT(pwritev_t, "pwritev64"); return fails_at(fd, at) ? -1 : next(fd, data, count, at); }
typedef int (*sync_t)(int);
int fsync(int fd) { NEXT(sync_t, "fsync"); return fails_somewhere(fd) ? -1 : next(fd); }
int fdatasync(int fd) { NEXT(sync_t, "fdatasync"); return fails_somewhere(fd) ? -1 : next(fd); }
typedef int (*ftruncate_t)(int, off_t);
int ftruncate(int fd, off_t size) { NEXT(ftruncate_t, "ftruncate"); return fails_somewhere(fd) ? -1 : next(fd, size); }
int ftruncate64(int fd, off_t size) { NEXT(ftruncate_t, "ftruncate64"); return fails_somewhere(fd) ? -1 : next(fd, size); }

static int refuses_open(const char *path, int flags) {
  int number;
  if ((flags & O_ACCMODE) == O_RDONLY && !(flags & O_CREAT)) return 0;
  if (!is_ours(path) || !(number = ask()) || (below && !is_shut)) return 0;
  errno = number;
  return 1;
}
typedef int (*open_t)(const char *, int, ...);
#define OPEN(name) int name(const char *path, int flags, ...) { \
  NEXT(open_t, #name); \
  mode_t mode = 0; \
  if (flags & (O_CREAT | O_TMPFILE)) { va_list rest; va_start(rest, flags); mode = va_arg(rest, mode_t); va_end(rest); } \
  return refuses_open(path, flags) ? -1 : next(path, flags, mode); }
OPEN(open)
OPEN(open64)
typedef int (*rename_t)(const char *, const char *);
int rename(const char *from, const char *to) { NEXT(rename_t, "rename"); int number = is_ours(to) ? ask() : 0; if (number && !below) { errno = number; return -1; } return next(from, to); }
typedef int (*unlink_t)(const char *);
int unlink(const char *path) { NEXT(unlink_t, "unlink"); int number = is_ours(path) ? ask() : 0; if (number && !below) { errno = number; return -1; } return next(path); }
