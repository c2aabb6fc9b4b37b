#!/usr/bin/env python3
"""Makes a small LLaMA model with random weights for llama.cpp: no download, the same bytes each time.

    make_model.py OUTPUT.gguf [--layers 4] [--width 256] [--seed 1]

Weights are f32, uniform, scaled so that activations keep their size from layer to layer; llama-quantize
makes other types of it. The vocabulary is llama.cpp's least for its SentencePiece tokenizer: three
special tokens, 256 bytes, and words of two letters. Needs python3-gguf and python3-numpy.
"""
import argparse
import string

import gguf
import numpy

HEADS = 8
CONTEXT = 512


def vocabulary():
    """(text, score, type) of each token."""
    tokens = [("<unk>", 0.0, gguf.TokenType.UNKNOWN), ("<s>", 0.0, gguf.TokenType.CONTROL),
              ("</s>", 0.0, gguf.TokenType.CONTROL)]
    tokens += [(f"<0x{byte:02X}>", 0.0, gguf.TokenType.BYTE) for byte in range(256)]
    letters = "\u2581" + string.ascii_lowercase
    tokens += [(letter, -1.0, gguf.TokenType.NORMAL) for letter in letters]
    tokens += [(first + second, -2.0, gguf.TokenType.NORMAL) for first in letters
               for second in string.ascii_lowercase]
    return tokens


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("output")
    parser.add_argument("--layers", type=int, default=4)
    parser.add_argument("--width", type=int, default=256, help="of the embedding; a multiple of 256")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    if options.width % 256 != 0 or options.layers < 1:
        parser.error("the width is a multiple of 256, and there is a layer")
    width, hidden, tokens = options.width, 3 * options.width, vocabulary()
    random = numpy.random.default_rng(options.seed)

    writer = gguf.GGUFWriter(options.output, "llama")
    writer.add_name("random")
    writer.add_context_length(CONTEXT)
    writer.add_embedding_length(width)
    writer.add_block_count(options.layers)
    writer.add_feed_forward_length(hidden)
    writer.add_head_count(HEADS)
    writer.add_head_count_kv(HEADS)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_rope_dimension_count(width // HEADS)
    writer.add_vocab_size(len(tokens))
    writer.add_tokenizer_model("llama")
    writer.add_token_list([text.encode() for text, _, _ in tokens])
    writer.add_token_scores([score for _, score, _ in tokens])
    writer.add_token_types([kind for _, _, kind in tokens])
    writer.add_bos_token_id(1)
    writer.add_eos_token_id(2)
    writer.add_unk_token_id(0)

    def matrix(name, rows, columns):
        weights = random.uniform(-1, 1, (rows, columns)) * (3 / columns) ** 0.5
        writer.add_tensor(name, weights.astype(numpy.float32))

    def norm(name):
        writer.add_tensor(name, numpy.ones(width, numpy.float32))

    matrix("token_embd.weight", len(tokens), width)
    norm("output_norm.weight")
    matrix("output.weight", len(tokens), width)
    for layer in range(options.layers):
        block = f"blk.{layer}."
        norm(block + "attn_norm.weight")
        norm(block + "ffn_norm.weight")
        for name in ("attn_q", "attn_k", "attn_v", "attn_output"):
            matrix(f"{block}{name}.weight", width, width)
        matrix(block + "ffn_gate.weight", hidden, width)
        matrix(block + "ffn_up.weight", hidden, width)
        matrix(block + "ffn_down.weight", width, hidden)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


if __name__ == "__main__":
    main()
