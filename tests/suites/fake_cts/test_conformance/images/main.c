// Ends as tests of OpenCL-CTS do: each of its tests in another way.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(int count, char** words) {
  const char* test = words[count - 1];
  printf("Compute Device Name = %s:xnack-, Compute Device Vendor = Fake\n%s...\n", getenv("FAKE_DEVICE"), test);
  if (strcmp(test, "1D") == 0) {
    const char* engine = getenv("GCNJIT_ENGINE");
    printf("engine %s\n[CL_R CL_FLOAT 1]\n[CL_RG CL_FLOAT 2]\n1D passed\nPASSED sub-test.\nPASSED test.\n", engine ? engine : "default");
  } else if (strcmp(test, "2D") == 0) {
    fprintf(stderr, "a warning\nERROR: Sample 0 does not validate\n");
    printf("2D FAILED\n");
    return 1;
  } else if (strcmp(test, "3D") == 0) {
    fprintf(stderr, "memory write fault in kernel 'k' (gfx906)\n");
    fflush(stderr);
    abort();
  } else if (strcmp(test, "1Darray") == 0) {
    printf("1Darray test not supported\nPASSED sub-test.\nPASSED test.\n");
  } else if (strcmp(test, "2Dto3D") == 0) {
    printf("No formats supported\n2Dto3D passed\nPASSED sub-test.\nPASSED test.\n");
  } else {
    fflush(stdout);
    sleep(600);
  }
  return 0;
}
