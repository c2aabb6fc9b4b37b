// Arrays of zeros (runtime/host/zeroed_array.h).
#include "runtime/host/zeroed_array.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <new>
#include <utility>
#include <vector>

namespace gcnjit::runtime {
namespace {

TEST(ZeroedArrayTest, IsZero) {
  const ZeroedArray<uint32_t> array(10'000);
  EXPECT_EQ(array.size(), 10'000u);
  EXPECT_EQ(std::count(array.data(), array.data() + array.size(), 0u), 10'000);
}

TEST(ZeroedArrayTest, TakesMemoryWhereItIsTouched) {
  const auto page = static_cast<size_t>(::sysconf(_SC_PAGESIZE));
  const ZeroedArray<std::byte> array(4 * page);
  ASSERT_EQ(::madvise(array.data(), 4 * page, MADV_NOHUGEPAGE), 0);
  array[2 * page] = std::byte{1};
  std::vector<unsigned char> is_there(4);
  ASSERT_EQ(::mincore(array.data(), 4 * page, is_there.data()), 0);
  EXPECT_EQ(is_there[2] & 1, 1);
  EXPECT_EQ((is_there[0] | is_there[1] | is_there[3]) & 1, 0);
}

TEST(ZeroedArrayTest, Moves) {
  ZeroedArray<int> array(3);
  array[1] = 7;
  ZeroedArray<int> other = std::move(array);
  EXPECT_EQ(other[1], 7);
  array = std::move(other);
  EXPECT_EQ(array[1], 7);
  EXPECT_TRUE(ZeroedArray<int>().empty());
}

TEST(ZeroedArrayTest, SaysThatThereIsNoMemory) {
  EXPECT_THROW(ZeroedArray<std::byte>(size_t{1} << 62), std::bad_alloc);
}

}  // namespace
}  // namespace gcnjit::runtime
