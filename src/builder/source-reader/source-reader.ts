import type { Readable } from 'node:stream'
import type { AnswerOf } from './reading-shapes.ts'
import type { InputOf, ReadingName } from './readings.ts'

/**
 * Reads what tenants wrote, one reading after another. Throws BuildFailure for a source that cannot be built, also when
 * reading it takes too much, and the signal's reason.
 */
export interface SourceReader {
  read<Name extends ReadingName>(name: Name, input: InputOf<Name>, signal: AbortSignal): Promise<AnswerOf<Name>>
  /** The build context as a tar archive. May be called once. The stream fails as `read` does. */
  pack(input: InputOf<'pack'>, signal: AbortSignal): Readable
}
