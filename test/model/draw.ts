import fc from 'fast-check'
import type { ApiName } from './apis.ts'
import { BROKEN, type Command } from './model.ts'

/** What is drawn of a command; versions and operations are chosen from what there is once it is its turn. */
export type Drawn = Exclude<Command, { name: 'redeploy' | 'rollback' | 'cancel' }> | Choosing

interface Choosing {
  name: 'redeploy' | 'rollback' | 'cancel'
  /** From 0 to 1, which of them; null: none is named. */
  choice: number | null
}

export interface Turn {
  caller: number
  api: ApiName
  /** Before it; 'rest' waits until no operation is open. */
  pause: number | 'rest'
  drawn: Drawn
  /** Insists on the revision that was returned last. */
  insists: boolean
}

const constant = <T extends Drawn>(value: T) => fc.constant<Drawn>(value)
const choice = fc.double({ min: 0, max: 0.999, noNaN: true })
const named = (name: Choosing['name']) =>
  fc
    .option(choice, { nil: null })
    .map<Drawn>((choice) => ({ name, choice: name === 'cancel' ? (choice ?? 0.99) : choice }))

const setting = fc.constantFrom('', 'plain', 'blue', BROKEN)

const drawn = (images: readonly string[]) =>
  fc.oneof(
    { weight: 24, arbitrary: fc.constantFrom(...images).map<Drawn>((image) => ({ name: 'deployImage', image })) },
    { weight: 20, arbitrary: fc.boolean().map<Drawn>((whole) => ({ name: 'read', whole })) },
    { weight: 8, arbitrary: named('redeploy') },
    { weight: 12, arbitrary: named('rollback') },
    { weight: 16, arbitrary: constant({ name: 'stop' }) },
    { weight: 16, arbitrary: constant({ name: 'start' }) },
    { weight: 8, arbitrary: constant({ name: 'applyChanges' }) },
    { weight: 16, arbitrary: named('cancel') },
    {
      weight: 16,
      arbitrary: fc
        .tuple(setting, fc.boolean())
        .map<Drawn>(([setting, applyImmediately]) => ({ name: 'configure', setting, applyImmediately })),
    },
    { weight: 1, arbitrary: constant({ name: 'delete' }) },
  )

const pauses = fc.oneof(
  { weight: 8, arbitrary: fc.constant(0) },
  { weight: 6, arbitrary: fc.integer({ min: 1, max: 60 }) },
  { weight: 1, arbitrary: fc.integer({ min: 60, max: 300 }) },
  { weight: 2, arbitrary: fc.constant('rest' as const) },
)

export interface Play {
  turns: number
  callers: number
  images: readonly string[]
}

/** So many turns, each of which can shrink away. */
export const play = ({ turns, callers, images }: Play): fc.Arbitrary<(Turn | null)[]> => {
  const turn = fc.record<Turn>({
    caller: fc.nat(callers - 1),
    api: fc.constantFrom<ApiName>('REST', 'GraphQL'),
    pause: pauses,
    drawn: drawn(images),
    insists: fc.nat(5).map((number) => number === 5),
  })
  return fc.array(fc.option(turn, { freq: 1_000_000 }), { minLength: turns, maxLength: turns })
}
