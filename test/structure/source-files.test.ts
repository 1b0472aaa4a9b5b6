import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { sourceFiles } from './source-files.ts'

const KEBAB_CASE = /^[a-z0-9]+(-[a-z0-9]+)*$/
/** Words that say nothing about what a thing is for. */
const EMPTY_WORDS = /(^|-)(utils?|helpers?|common|manager|base|impl|dto)(-|$)/
/** Where the field's own term has one of these words. */
const TERMS_OF_THE_FIELD = /package-manager|base-image/g

const isEmpty = (name: string) => EMPTY_WORDS.test(name.replaceAll(TERMS_OF_THE_FIELD, 'term'))
/** Types of plain JavaScript are in a file of their own, .d.mts. */
const withoutExtension = (part: string) => part.replace(/(\.d)?\.[^.]+$/, '')
const kebabOf = (name: string) => name.replaceAll(/([a-z0-9])([A-Z])/g, '$1-$2').toLowerCase()
const textOf = (absolutePath: string) => readFileSync(absolutePath, 'utf8')

test('files and folders are in kebab-case', () => {
  const others = sourceFiles().filter(({ path }) =>
    path.split('/').some((part) => !KEBAB_CASE.test(withoutExtension(part))),
  )
  expect(others.map(({ path }) => path)).toEqual([])
})

test('nothing is exported as default, so that a thing has one name', () => {
  const others = sourceFiles().filter(({ absolutePath }) =>
    /^export (default\b|\{[^}]*\bas default\b)/m.test(textOf(absolutePath)),
  )
  expect(others.map(({ path }) => path)).toEqual([])
})

test('names of files and folders say what they are for', () => {
  const empty = sourceFiles().filter(({ path }) => path.split('/').some((part) => isEmpty(withoutExtension(part))))
  expect(empty.map(({ path }) => path)).toEqual([])
})

test('names of classes and types say what they are for', () => {
  const empty = sourceFiles().flatMap(({ path, absolutePath }) =>
    [...textOf(absolutePath).matchAll(/^(?:export )?(?:abstract )?(?:class|interface|type) (\w+)/gm)]
      .map(([, name = '']) => name)
      .filter((name) => isEmpty(kebabOf(name)))
      .map((name) => `${path}: ${name}`),
  )
  expect(empty).toEqual([])
})
