import { expect, test } from 'vitest'
import { fieldsAlone } from './fields-alone.ts'

test('each field at the top is asked for alone, also one in a fragment', () => {
  const query = `query Drawn($a: ID!, $b: Int) { apps(first: $b) { totalCount } ...Part @include(if: true) }
    fragment Part on Query { app(id: $a) { id } ... { regions { code } } }`
  const alone = fieldsAlone({ query, variables: { a: 'app_1', b: 2 } })
  expect(alone.map((one) => one.query.replaceAll(/\s+/g, ' '))).toEqual([
    'query Drawn($b: Int) { apps(first: $b) { totalCount } }',
    'query Drawn($a: ID!) { ... on Query @include(if: true) { app(id: $a) { id } } }',
    'query Drawn { ... on Query @include(if: true) { ... { regions { code } } } }',
  ])
  expect(alone.map(({ variables }) => variables)).toEqual([{ b: 2 }, { a: 'app_1' }, {}])
})
