// Values of the C++ API as pickles: tuples of numbers, bytes and tuples, so that they can be copied
// and sent from process to process.
#pragma once

#include <pybind11/pybind11.h>

#include <array>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "python/bindings.h"

namespace gcnjit::python {

// All members of T, by a specialization with
//   static auto Of(auto& value) { return std::tie(value.first, value.second, ...); }
template <typename T>
struct Members;

template <typename T>
pybind11::object ToState(const T& value);
template <typename T>
void FromState(pybind11::handle state, T& value);

namespace pickle_detail {

template <typename T>
struct IsList : std::false_type {};
template <typename T>
struct IsList<std::vector<T>> : std::true_type {};

template <typename T>
struct IsOptional : std::false_type {};
template <typename T>
struct IsOptional<std::optional<T>> : std::true_type {};

template <typename T>
struct IsArray : std::false_type {};
template <typename T, size_t n>
struct IsArray<std::array<T, n>> : std::true_type {};

using Counts = std::map<std::string, uint64_t>;

inline pybind11::tuple TupleOf(pybind11::handle state, std::optional<size_t> size) {
  if (!pybind11::isinstance<pybind11::tuple>(state)) throw pybind11::value_error("no such pickle");
  auto tuple = pybind11::reinterpret_borrow<pybind11::tuple>(state);
  if (size && tuple.size() != *size) throw pybind11::value_error("a pickle of another gcnjit");
  return tuple;
}

}  // namespace pickle_detail

template <typename T>
pybind11::object ToState(const T& value) {
  namespace py = pybind11;
  using namespace pickle_detail;
  if constexpr (std::is_same_v<T, std::string>) {
    return py::bytes(value);  // names in files may be no text
  } else if constexpr (std::is_enum_v<T>) {
    return py::int_(static_cast<std::underlying_type_t<T>>(value));
  } else if constexpr (std::is_arithmetic_v<T>) {
    return py::cast(value);
  } else if constexpr (IsOptional<T>::value) {
    if (!value) return py::none();
    return ToState(*value);
  } else if constexpr (IsList<T>::value || IsArray<T>::value) {
    py::tuple items(value.size());
    for (size_t n = 0; n < value.size(); ++n) items[n] = ToState(value[n]);
    return items;
  } else if constexpr (std::is_same_v<T, Counts>) {
    return ToState(std::vector<Counts::value_type>(value.begin(), value.end()));
  } else {
    return std::apply(
        [](const auto&... member) -> py::object { return py::make_tuple(ToState(member)...); },
        Members<T>::Of(value));
  }
}

template <typename T>
void FromState(pybind11::handle state, T& value) {
  namespace py = pybind11;
  using namespace pickle_detail;
  if constexpr (std::is_same_v<T, std::string>) {
    value = py::cast<std::string>(state);
  } else if constexpr (std::is_enum_v<T>) {
    value = static_cast<T>(py::cast<std::underlying_type_t<T>>(state));
  } else if constexpr (std::is_arithmetic_v<T>) {
    value = py::cast<T>(state);
  } else if constexpr (IsOptional<T>::value) {
    value.reset();
    if (state.is_none()) return;
    typename T::value_type
        made{};  // not in its place: GCC 16 warns of members that may not be made
    FromState(state, made);
    value = std::move(made);
  } else if constexpr (IsArray<T>::value) {
    const py::tuple items = TupleOf(state, value.size());
    for (size_t n = 0; n < value.size(); ++n) FromState(items[n], value[n]);
  } else if constexpr (IsList<T>::value) {
    const py::tuple items = TupleOf(state, {});
    value.resize(items.size());
    for (size_t n = 0; n < value.size(); ++n) FromState(items[n], value[n]);
  } else if constexpr (std::is_same_v<T, Counts>) {
    std::vector<std::pair<std::string, uint64_t>> counts;
    FromState(state, counts);
    value = Counts(counts.begin(), counts.end());
  } else {
    std::apply(
        [&](auto&... member) {
          const py::tuple members = TupleOf(state, sizeof...(member));
          size_t n = 0;
          (FromState(members[n++], member), ...);
        },
        Members<T>::Of(value));
  }
}

template <typename First, typename Second>
struct Members<std::pair<First, Second>> {
  static auto Of(auto& pair) { return std::tie(pair.first, pair.second); }
};

// Makes values of the class ones that can be pickled and copied. Only so does Python make them.
template <typename T>
pybind11::class_<T> Pickled(pybind11::class_<T> type) {
  namespace py = pybind11;
  type.def_static("_of_state", [](const py::tuple& state) {
    T value;
    FromState(state, value);
    return value;
  });
  type.def("__reduce__", [](const py::object& self) {
    const py::object restored = py::module_::import("gcnjit.pickles").attr("restored");
    const py::object name = py::type::of(self).attr("__name__");
    return py::make_tuple(restored, py::make_tuple(name, ToState(self.cast<const T&>())));
  });
  return MadeByGcnjit(std::move(type));
}

}  // namespace gcnjit::python
