import type { AnyCommand } from '../../src/calls/command.ts'
import type { World } from '../support/world.ts'

/** One call, prepared in a world of its own. */
export interface Prepared {
  command: AnyCommand
  input: Record<string, unknown>
  /** The token of the call; the admin's when omitted. */
  token?: string
  expectedVersion?: number
  /** A dry run. */
  isDry?: boolean
}

export interface ParityCase {
  title: string
  /** `accepted`, or the code (and reason) of the refusal. */
  expected: 'accepted' | string
  prepare(world: World): Promise<Prepared>
}

/** One kind of call, and every way in which it is refused. */
export const parityCase = (title: string, expected: string, prepare: ParityCase['prepare']): ParityCase => ({
  title,
  expected,
  prepare,
})
