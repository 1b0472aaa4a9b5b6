/** A piece of what a command wrote. A frame of the engine may come in several. */
export interface Piece {
  source: 'stdout' | 'stderr'
  chunk: Buffer
}

const HEADER_BYTES = 8
const STDERR = 2

/**
 * Takes an engine's stream of both outputs apart: each frame is a header of the source (1 byte), three zeros and the
 * length (4 bytes), and then the content. Holds no more than a header: the content is handed on as it comes.
 */
export async function* readFrames(chunks: AsyncIterable<Buffer>): AsyncGenerator<Piece> {
  let header = Buffer.alloc(0)
  let left = 0
  for await (const chunk of chunks) {
    let at = 0
    while (at < chunk.length) {
      if (left === 0) {
        const missing = HEADER_BYTES - header.length
        header = Buffer.concat([header, chunk.subarray(at, at + missing)])
        at += missing
        if (header.length < HEADER_BYTES) break
        left = header.readUInt32BE(4)
        if (left === 0) header = Buffer.alloc(0)
        continue
      }
      const content = chunk.subarray(at, at + left)
      const source = header[0] === STDERR ? 'stderr' : 'stdout'
      at += content.length
      left -= content.length
      if (left === 0) header = Buffer.alloc(0)
      yield { source, chunk: content }
    }
  }
  if (left > 0 || header.length > 0) throw new Error('The container engine broke off in the middle of an output')
}

/** The stream of a terminal: its one output, without frames. */
export async function* readPlainly(chunks: AsyncIterable<Buffer>): AsyncGenerator<Piece> {
  for await (const chunk of chunks) yield { source: 'stdout', chunk }
}
