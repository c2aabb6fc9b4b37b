// What the shared library gives to programs; everything else in it is hidden.
#pragma once

#define GCNJIT_API __attribute__((visibility("default")))
