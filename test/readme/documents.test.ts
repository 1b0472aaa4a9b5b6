import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { parse, validate } from 'graphql'
import { describe, expect, test } from 'vitest'
import { schema } from '../../src/api/graphql/schema.ts'
import { routes } from '../../src/api/rest/routes.ts'
import { readmeBlocks } from './readme-blocks.ts'

const ROOT = join(import.meta.dirname, '../..')
const DOCUMENTS = globSync(['*.md', 'docs/**/*.md'], { cwd: ROOT }).sort()
const text = (document: string) => readFileSync(join(ROOT, document), 'utf8')

describe('the README', () => {
  test.each(readmeBlocks('graphql'))('shows GraphQL that the schema accepts: %s', (document) => {
    expect(validate(schema, parse(document)).map((error) => error.message)).toEqual([])
  })

  test('calls paths that exist', () => {
    const paths = new Set(routes.map((route) => route.path))
    const called = readmeBlocks('sh').flatMap((block) =>
      [...block.matchAll(/\bberth "?([a-z/-]+)[ ?]/g)].map((call) => `/${call[1]}`),
    )
    expect(called.length).toBeGreaterThan(10)
    for (const path of called) expect(paths).toContain(path)
  })

  test('asks nothing of curl that the one of Ubuntu 22.04, 7.81, does not know', () => {
    for (const block of readmeBlocks('sh')) expect(block).not.toMatch(/%header\{|--json|--variable|--expand-/)
  })
})

describe('the documents', () => {
  test.each(DOCUMENTS)('%s links to files and headings that exist', (document) => {
    expect(linksOf(document).filter((link) => !leadsSomewhere(document, link))).toEqual([])
  })

  test('name npm scripts that exist', () => {
    const { scripts } = JSON.parse(text('package.json')) as { scripts: Record<string, string> }
    const named = DOCUMENTS.flatMap((document) =>
      [...text(document).matchAll(/npm run (?:-s )?([a-z][a-z:-]*[a-z])/g)].map((run) => run[1]),
    )
    expect(named.length).toBeGreaterThan(10)
    for (const script of named) expect(scripts).toHaveProperty([script ?? ''])
  })

  test('list each decision by its title', () => {
    const decisions = DOCUMENTS.filter((document) => /^docs\/adr\/\d/.test(document))
    expect(decisions.length).toBeGreaterThan(20)
    const index = text('docs/adr/README.md').split('\n')
    for (const decision of decisions) {
      const [, title] = /^# \d+\. (.+)/.exec(text(decision)) ?? []
      const file = decision.slice('docs/adr/'.length)
      expect(index).toContain(`- [${file.slice(0, 4)}](${file}) ${title}`)
    }
  })
})

const linksOf = (document: string): string[] =>
  [...text(document).matchAll(/\]\(([^)\s]+)\)/g)]
    .flatMap((link) => link[1] ?? [])
    .filter((link) => !/^[a-z]+:/.test(link))

function leadsSomewhere(document: string, link: string): boolean {
  const [path = '', heading] = link.split('#')
  const target = path === '' ? document : join(dirname(document), path)
  if (!existsSync(join(ROOT, target))) return false
  return heading === undefined || anchorsOf(target).includes(heading)
}

/** As code hosts make them: lower case, spaces as hyphens, without punctuation. */
const anchorsOf = (document: string): string[] =>
  [...text(document).matchAll(/^#+ (.*)$/gm)].map((line) =>
    (line[1] ?? '')
      .toLowerCase()
      .replace(/[^\w\- ]/g, '')
      .replaceAll(' ', '-'),
  )
