// Loads whose lanes are apart are so again, as a rule: then what would be tried first is left out.
#pragma once

#include "backend_x64/emit/region_assembler.h"

namespace gcnjit::backend {

// On to `scattered` where the site's last lanes were. Changes rdx.
void EmitIfScattered(RegionAssembler& region, SiteId site, const asmjit::Label& scattered);

// Where they are found to be, or, at `scattered`, taken to be. Changes rdx.
void NoteScattered(RegionAssembler& region, SiteId site, const asmjit::Label& scattered);

}  // namespace gcnjit::backend
