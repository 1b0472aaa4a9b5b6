import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { mergeVariables, type Variable, variableChanges, withChanges } from '../../../text/variable-changes.ts'

const variable = (name: string, value: string, isSecret = false): Variable => ({
  name,
  value,
  isSecret,
  type: 'DEPLOY',
})

const list = fc.uniqueArray(
  fc.record({
    name: fc.constantFrom('A', 'B', 'C', 'D', 'E'),
    value: fc.constantFrom('1', '2', '***SECRET***'),
    type: fc.constantFrom('DEPLOY', 'BUILD', 'BOTH'),
    isSecret: fc.boolean(),
  }),
  { selector: ({ name }) => name },
)

const sorted = (all: readonly Variable[]) => [...all].sort((one, other) => one.name.localeCompare(other.name))

describe('the difference of two lists of variables', () => {
  test('has each name once, in its group', () => {
    const changes = variableChanges(
      [variable('KEPT', '1'), variable('CHANGED', '1'), variable('GONE', '1'), variable('KEY', '***SECRET***', true)],
      [variable('KEPT', '1'), variable('CHANGED', '2'), variable('NEW', '1'), variable('KEY', '***SECRET***', true)],
    )
    expect(changes.added.map(({ name }) => name)).toEqual(['NEW'])
    expect(changes.changed.map(({ name }) => name)).toEqual(['CHANGED'])
    expect(changes.removed.map(({ name }) => name)).toEqual(['GONE'])
    expect(changes.untouched.map(({ name }) => name)).toEqual(['KEPT', 'KEY'])
  })

  test('makes the second of the first', () => {
    fc.assert(
      fc.property(list, list, (from, to) => {
        expect(sorted(withChanges(from, variableChanges(from, to)))).toEqual(sorted(to))
      }),
    )
  })
})

describe('two changes of the same list', () => {
  test('go together where they are of other variables, and conflict where they are of the same', () => {
    const base = [variable('A', '1'), variable('B', '1'), variable('C', '1')]
    const mine = [variable('A', 'mine'), variable('B', '1'), variable('NEW', 'mine')]
    const theirs = [variable('A', 'theirs'), variable('B', 'theirs'), variable('C', '1')]
    const { merged, conflicts, taken } = mergeVariables(base, mine, theirs)
    expect(sorted(merged)).toEqual([variable('A', 'mine'), variable('B', 'theirs'), variable('NEW', 'mine')])
    expect(conflicts.map(({ name }) => name)).toEqual(['A'])
    expect(taken).toEqual(['B'])
  })

  test('lose nothing: what only one side changed is as that side has it', () => {
    fc.assert(
      fc.property(list, list, list, (base, mine, theirs) => {
        const { merged, conflicts } = mergeVariables(base, mine, theirs)
        const of = (all: readonly Variable[], name: string) => all.find((one) => one.name === name)
        for (const name of ['A', 'B', 'C', 'D', 'E']) {
          const [was, my, their] = [of(base, name), of(mine, name), of(theirs, name)]
          const same = (one?: Variable, other?: Variable) => JSON.stringify(one) === JSON.stringify(other)
          if (same(was, my)) expect(of(merged, name)).toEqual(their)
          else expect(of(merged, name)).toEqual(my)
          const isConflict = !same(was, my) && !same(was, their) && !same(my, their)
          expect(conflicts.some((one) => one.name === name)).toBe(isConflict)
        }
      }),
    )
  })
})
