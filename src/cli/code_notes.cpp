#include "cli/code_notes.h"

#include <utility>

#include "cli/code_describer.h"
#include "cli/source_text.h"

namespace gcnjit::cli {

CodeNotes NotesOf(const Program& program, ProgramLines& lines, const std::vector<uint64_t>& pcs) {
  const CodeDescriber describer(*program.internal());
  SourceText text;
  std::vector<SourceFrames> frames = lines.lines().At(pcs);
  CodeNotes notes;
  for (size_t n = 0; n < pcs.size(); ++n) {
    CodeNote& note = notes[pcs[n]];
    note.place = describer.PlaceOf(pcs[n]);
    note.instruction = describer.InstructionAt(pcs[n]);
    note.source = std::move(frames[n]);
    if (!note.source.empty()) {
      note.source_line = text.Line(note.source.front().file, note.source.front().line);
    }
  }
  return notes;
}

}  // namespace gcnjit::cli
