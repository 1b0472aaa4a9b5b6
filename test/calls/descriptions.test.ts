import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { schema } from '../../src/api/graphql/schema.ts'
import { openApiDocument } from '../../src/api/rest/openapi/openapi.ts'
import { SETTINGS } from '../../src/config/settings.ts'
import { describedInOpenApi, describedInSchema, type Shown } from './all-descriptions.ts'
import { problemOf } from './stands-alone.ts'

function describedSettings(): Shown[] {
  const { properties = {} } = z.toJSONSchema(SETTINGS, { io: 'input' })
  return Object.entries(properties).map(([name, property]) => [
    name,
    (property as { description?: string }).description,
  ])
}

const PLACES: [string, Shown[]][] = [
  ['the GraphQL schema', describedInSchema(schema)],
  ['the OpenAPI document', describedInOpenApi(openApiDocument())],
  ['the settings', describedSettings()],
]

describe('a description stands alone', () => {
  test.each(PLACES)('in %s', (name, all) => {
    const texts = new Set(all.map(([, description]) => description))
    console.log(`${name}: ${all.length} descriptions reviewed, ${texts.size} different ones`)
    expect(all.length).toBeGreaterThan(10)
    const problems = all.map(([place, description]) => ({ place, description, problem: problemOf(description) }))
    expect(problems.filter(({ problem }) => problem !== null)).toEqual([])
  })

  test.each([
    ['Its id.', 'begins with "Its"'],
    ['When.', 'begins with "When"'],
    ['Why.', 'has fewer than 3 words'],
    ['The same in words.', 'begins with "The same"'],
    ['Whether it takes traffic.', 'begins with "Whether it"'],
    ['By which stream.', 'begins with "By which"'],
    ['Id of the app', 'does not end with a full stop'],
    ['', 'is missing'],
  ])('unlike "%s"', (text, problem) => {
    expect(problemOf(text)).toBe(problem)
  })
})
