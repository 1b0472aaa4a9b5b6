import { describe, expect, test } from 'vitest'
import { asksForNoEnv, isLate, type PullRequestAction } from '../../src/domain/pull-request.ts'
import { sharedVariables } from '../../src/domain/shared-variables.ts'

type Arrival = Parameters<typeof isLate>[0]

/** Such as `PUSHED 9 a→b`: what, at which second (? where the host does not say), from which commit to which. */
function arrival(words: string): Arrival {
  const [action, second, commits = '→a'] = words.split(' ')
  const [from, commit] = commits.split('→')
  const happenedAt = second === '?' ? null : new Date(Date.UTC(2026, 10, 20, 9, 30, Number(second)))
  return { action: action as PullRequestAction, happenedAt, from: from || null, commit: commit || null }
}

describe('what arrives', () => {
  test.each([
    ['OPENED 1', []],
    ['PUSHED 2 a→b', ['OPENED 1']],
    ['CLOSED 2', ['OPENED 1']],
    ['CLOSED ?', ['PUSHED ? a→b', 'OPENED ?']],
    ['REOPENED 3', ['CLOSED 2', 'OPENED 1']],
    ['REOPENED ?', ['CLOSED ?']],
    ['PUSHED ? a→b', ['REOPENED ?', 'CLOSED ?']],
    // The reopening was lost.
    ['PUSHED 3 a→b', ['CLOSED 2']],
    // Of the same second.
    ['PUSHED 1 a→b', ['OPENED 1']],
    ['PUSHED 1 b→a', ['PUSHED 1 a→b', 'OPENED 1']],
    ['OPENED 1', ['OPENED 1']],
    ['CLOSED 1', ['CLOSED 1']],
  ])('%s after %j is in order', (now, arrived) => {
    expect(isLate(arrival(now), arrived.map(arrival))).toBe(false)
  })

  test.each([
    ['OPENED 1', ['CLOSED 2']],
    ['OPENED 1', ['CLOSED 1']],
    ['OPENED ?', ['CLOSED ?']],
    ['OPENED 1', ['PUSHED 2 a→b']],
    ['OPENED 1', ['PUSHED 1 a→b']],
    ['PUSHED 2 a→b', ['PUSHED 3 b→c']],
    ['PUSHED ? a→b', ['PUSHED ? b→c']],
    ['PUSHED ? a→b', ['CLOSED ?', 'REOPENED ?']],
    ['CLOSED 2', ['REOPENED 3']],
    ['REOPENED 2', ['CLOSED 3']],
  ])('%s after %j is late', (now, arrived) => {
    expect(isLate(arrival(now), arrived.map(arrival))).toBe(true)
  })
})

test.each([
  ['Try it [skip preview]', true],
  ['[Preview Skip] Try it', true],
  ['Try it\nfixed readme [skip ci]', true],
  ['Skip preview of it', false],
])('"%s" asks for no environment: %s', (title, expected) => {
  expect(asksForNoEnv(title)).toBe(expected)
})

test('variables are shared that are not secret, lead nowhere, and refer to none that does', () => {
  const plain = (name: string, value: string) => ({ name, value, isSecret: false })
  const of = (name: string) => `\${${name}}`
  const variables = [
    plain('GREETING', 'hello'),
    plain('WELCOME', `${of('GREETING')}, ada`),
    plain('LITERAL', `$${of('db.password')}`),
    { name: 'PASSWORD', value: 'hunter2', isSecret: true },
    plain('LOGIN', `ada:${of('PASSWORD')}`),
    plain('DATABASE', of('shop-db.internalUrl')),
    plain('POOLED', `${of('DATABASE')}?pool=2`),
    plain('DEEP', of('POOLED')),
  ]
  expect([...sharedVariables(variables)]).toEqual(['GREETING', 'WELCOME', 'LITERAL'])
})
