/** The next chunk is asked for, or handed over, only when the one before has been taken: nothing is held whole. */
export interface CommandStreams {
  /** Standard input. Its end is the command's end of input; without one the command finds it at once. */
  input?: AsyncIterable<Uint8Array> | null
  /** Takes standard output, chunk by chunk and in order; omitted: it is discarded. */
  output?: (chunk: Uint8Array) => Promise<void> | void
}
