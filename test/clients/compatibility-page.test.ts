import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { routes } from '../../src/api/rest/routes.ts'

const ROOT = join(import.meta.dirname, '../..')
/** What it says of clients; container engines are at its end. */
const [page = ''] = readFileSync(join(ROOT, 'docs/compatibility.md'), 'utf8').split('## Container engines')

/** What short names stand for on the page. */
const SHORT: Readonly<Record<string, string>> = {
  older: 'test/clients/older-clients.test.ts',
  'older apps': 'test/clients/older-apps.test.ts',
}

const rows = page
  .split('\n')
  .filter((line) => line.startsWith('|') && !/^\|(---|\s*(Request|Client) \|)/.test(line))
  .map((line) => line.split('|').map((cell) => cell.trim()))
  .map(([, request = '', , proof = '']) => ({ request, proof }))

/** The title of a test or of a group, in code: a text, followed by a function. */
const titled = (title: string) =>
  new RegExp(`['"\`][^\\n]*${title.replace(/[^\w ]/g, '\\$&')}[^\\n]*['"\`],\\s*(async )?\\(`)

describe('docs/compatibility.md', () => {
  test('has a row for each request, and a test for each row', () => {
    expect(rows.length).toBeGreaterThan(40)
    expect(rows.filter(({ proof }) => !/^(older|older apps|`test\/[\w./-]+`): ".+"$/.test(proof))).toEqual([])
  })

  test.each(rows)('names a test that exists: $request', ({ proof }) => {
    const [, named = '', title = ''] = /^(older|older apps|`[^`]+`): "(.+)"$/.exec(proof) ?? []
    const file = join(ROOT, SHORT[named] ?? named.replaceAll('`', ''))
    expect(existsSync(file)).toBe(true)
    expect(readFileSync(file, 'utf8')).toMatch(titled(title))
  })

  test('names paths that exist, with methods that they have', () => {
    const known = new Set(routes.map(({ method, path }) => `${method} ${path}`))
    const named = [...page.matchAll(/`((?:GET|POST|PUT|PATCH|DELETE) \/[a-z/-]+)`/g)].map(([, call = '']) => call)
    expect(named.length).toBeGreaterThan(40)
    expect(named.filter((call) => !known.has(call))).toEqual([])
  })
})
