import type { AnyCommand } from '../../src/services/kernel/command.ts'
import type { World } from '../support/world.ts'

/** What one call asks for, prepared in a world of its own. */
export interface Prepared {
  command: AnyCommand
  input: Record<string, unknown>
  /** The token that calls; the admin's when omitted. */
  token?: string
  expectedVersion?: number
  /** Only to be decided, and not done. */
  isDry?: boolean
}

export interface ParityCase {
  title: string
  /** `accepted`, or the code (and reason) of the refusal. */
  expected: 'accepted' | string
  prepare(world: World): Promise<Prepared>
}

/** One call of a kind, and every way in which it is refused. */
export const parityCase = (title: string, expected: string, prepare: ParityCase['prepare']): ParityCase => ({
  title,
  expected,
  prepare,
})
