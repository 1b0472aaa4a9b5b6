import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { PROOFS } from './checklists/proofs.ts'
import { checklistHeadings, namedInCode, namedPaths, namedScripts } from './contributing-page.ts'
import { ROOT } from './scratch-copy.ts'

const textOf = (path: string) => readFileSync(join(ROOT, path), 'utf8')

describe('CONTRIBUTING.md', () => {
  test('names paths that exist', () => {
    expect(namedPaths.length).toBeGreaterThan(15)
    expect(namedPaths.filter((path) => !existsSync(join(ROOT, path)))).toEqual([])
  })

  test('names npm scripts that exist', () => {
    const { scripts } = JSON.parse(textOf('package.json'))
    expect(namedScripts.length).toBeGreaterThan(3)
    expect(namedScripts.filter((name) => !(name in scripts))).toEqual([])
  })

  test('names code that exists', () => {
    const files = globSync(['src/**/*.ts', 'test/contracts/**/*.ts', 'prisma/schema.prisma'], {
      cwd: ROOT,
      exclude: ['src/storage/database/generated/**'],
    })
    const declarations = files.map(textOf).join('\n')
    const isDeclared = (name: string) =>
      new RegExp(`\\b(interface|type|enum|const|function|class) ${name}\\b`).test(declarations)
    expect(namedInCode.length).toBeGreaterThan(5)
    expect(namedInCode.filter((name) => !isDeclared(name))).toEqual([])
  })

  test('has a proof for each checklist, and a checklist for each proof', () => {
    expect(checklistHeadings).toEqual(PROOFS.map(({ heading }) => heading))
  })
})

test('the walks through the source name files that exist', () => {
  const paths = [...textOf('docs/walks.md').matchAll(/`([a-z-]+\/[\w./-]+\.ts)`/g)].map(([, path]) => `src/${path}`)
  expect(paths.length).toBeGreaterThan(30)
  expect(paths.filter((path) => !existsSync(join(ROOT, path)))).toEqual([])
})

/** Folders and files, whole: not those with a part to be filled in. */
const pathsIn = (page: string): string[] =>
  [...textOf(page).matchAll(/`((?:src|test|scripts|bench|prisma|examples)\/[\w./-]+)`/g)].map(([, path = '']) => path)

test.each(globSync(['*.md', 'docs/**/*.md'], { cwd: ROOT }).sort())('%s names paths that exist', (page) => {
  expect(pathsIn(page).filter((path) => !existsSync(join(ROOT, path)))).toEqual([])
})
