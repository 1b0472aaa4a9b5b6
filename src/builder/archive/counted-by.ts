import { Transform } from 'node:stream'

/** Passes a stream on, and its bytes to a counter, which ends the stream by throwing. */
export const countedBy = (count: (bytes: number) => void): Transform =>
  new Transform({
    transform(chunk: Buffer, _encoding, done) {
      try {
        count(chunk.length)
        done(null, chunk)
      } catch (error) {
        done(error as Error)
      }
    },
  })
