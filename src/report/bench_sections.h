// Parts of the page of `gcnjit bench`, in its order.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "report/html.h"
#include "report/page.h"

namespace gcnjit::report {

// What was counted; `counted` is that part of the report.
void AddCounters(Page& page, const nlohmann::json& counted);
void AddMemory(Page& page, const nlohmann::json& counted);
void AddDivergence(Page& page, const nlohmann::json& counted);
void AddCode(Page& page, const nlohmann::json& counted);
// Where the time goes; one section for each engine that was sampled.
void AddHotSpots(Page& page, const nlohmann::json& engine, const nlohmann::json& counted);

// "file.cl:12"; line 0 is not known.
std::string PlaceOf(const std::string& file, unsigned line);
// "file.cl:12" of the innermost frame, and its text; empty: not known.
std::string SourceText(const nlohmann::json& spot);
Cell SourceCell(const nlohmann::json& spot);
double PerAccess(const nlohmann::json& counts, const char* what);

}  // namespace gcnjit::report
