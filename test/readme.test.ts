import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse, validate } from 'graphql'
import { describe, expect, test } from 'vitest'
import { schema } from '../src/graphql/schema.ts'
import { routes } from '../src/rest/routes.ts'

const readme = readFileSync(join(import.meta.dirname, '../README.md'), 'utf8')
const blocks = (language: string) =>
  [...readme.matchAll(new RegExp(`\`\`\`${language}\\n(.*?)\`\`\``, 'gs'))].map((block) => block[1] ?? '')

describe('the README', () => {
  test.each(blocks('graphql'))('shows GraphQL that the schema accepts: %s', (document) => {
    expect(validate(schema, parse(document)).map((error) => error.message)).toEqual([])
  })

  test('posts to paths that exist', () => {
    const paths = new Set(routes.filter((route) => route.method === 'POST').map((route) => route.path))
    const posted = blocks('sh').flatMap((block) =>
      [...block.matchAll(/\bpost ([a-z/-]+) /g)].map((call) => `/${call[1]}`),
    )
    expect(posted.length).toBeGreaterThan(2)
    for (const path of posted) expect(paths).toContain(path)
  })
})
