#include "isa/matrix_shape.h"

namespace gcnjit::frontend {

const MatrixShape* MatrixShapeOf(Opcode opcode) {
  switch (opcode) {
#define GCN_MFMA(id, on89, presence, name, m, n, k, blocks, element, ab, cd, status) \
  case Opcode::id: {                                                                 \
    static constexpr MatrixShape kShape = {m, n, k, blocks, MatrixElement::element}; \
    return &kShape;                                                                  \
  }
#include "isa/mai.def"
#undef GCN_MFMA
    default: return nullptr;
  }
}

}  // namespace gcnjit::frontend
