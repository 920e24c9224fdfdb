// Prints the digests of messages of every length up to 1,000 bytes, one a line, by the named path:
// the vectors of Tests/Apple/check for a processor that this machine has not.
#include <stdio.h>
#include <stdlib.h>

#include "CSHA256.h"

int main(int count, char **words) {
  csha256_path path = count > 1 ? (csha256_path)atoi(words[1]) : CSHA256_PORTABLE;
  if (!csha256_path_available(path)) return 3;
  uint8_t bytes[1000], digest[32], hex[65] = {0};
  for (size_t at = 0; at < sizeof bytes; at++) bytes[at] = (uint8_t)(at * 7 + at / 256);
  for (size_t length = 0; length <= sizeof bytes; length++) {
    csha256_digest_with(path, bytes, length, digest);
    csha256_hex(digest, hex);
    puts((const char *)hex);
  }
  return 0;
}
