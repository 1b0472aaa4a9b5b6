import { expect, test } from 'vitest'
import { foundByAnalysis, foundByMeasuring, patternsOf, patternsOfSource } from './patterns.ts'

/** Patterns that may take more than linear time, by their text, and why that costs nothing. */
const HARMLESS: Readonly<Record<string, string>> = {
  '/^(.+?)_((?:NODE_JS_)?\\d+(?:_\\d+)*)$/': 'names of at most 100 characters (src/app-types/older-presets.ts)',
  '/^[\\t\\v\\f\\r ]*([A-Za-z]+)(?:[\\t\\v\\f\\r ]+(.*))?$/s':
    'the analysis takes the rest for something that can fail; nothing fails after a blank, and the measurement finds nothing',
  '/\\bwarn(ing)?\\b|\\b(0|no) (errors?|failures?|failed)\\b|error[\\w-]*\\.\\w+$|^Step \\d+\\/\\d+ : |^\\[[^\\]]+\\] [A-Z]+ /i':
    'lines of at most 200 bytes (src/worker/text/failure-excerpt.ts)',
}

/** What is built when Berth runs: its text, and patterns as it builds them. */
const BUILT: Readonly<Record<string, readonly RegExp[]>> = {
  // An alias that Berth gives to a table.
  "new RegExp(`\\\\b${alias}\\\\.`, 'g')": [/\bc12\./g],
  "new RegExp(`^(${PREFIXES.join('|')})_[0-7][0-9a-hjkmnp-tv-z]{25}$`)": [
    /^(app|env|usr)_[0-7][0-9a-hjkmnp-tv-z]{25}$/,
  ],
  // An address of an engine, with its signs escaped.
  "new RegExp(`(?<![\\\\w.-])${text.replace(/[.*+?^${}()|[\\]\\\\]/g, '\\\\$&')}(?![\\\\w-])`, 'gi')": [
    /(?<![\w.-])engine\.example\.com(?![\w-])/gi,
    /(?<![\w.-])\/var\/run\/docker\.sock(?![\w-])/gi,
  ],
  'new RegExp(`^GPC:S:${ID}$`)': [/^GPC:S:[a-z]{2,5}_[0-9a-z]{26}$/],
  'new RegExp(`^GPC:T:\\\\["S:${ID}","S:${ID}"\\\\]$`)': [
    /^GPC:T:\["S:[a-z]{2,5}_[0-9a-z]{26}","S:[a-z]{2,5}_[0-9a-z]{26}"\]$/,
  ],
  // Where a here-document begins.
  "new RegExp(TEXT, 'g')": [/<<(-?)(["']?)([A-Za-z_][A-Za-z0-9_]*)\2/g],
  // A user of a container, and its group.
  'new RegExp(`^${NAME}(?::${NAME})?$`)': [/^[A-Za-z0-9_][A-Za-z0-9_.-]{0,63}(?::[A-Za-z0-9_][A-Za-z0-9_.-]{0,63})?$/],
  // Of a solution in the catalogue: each `pattern: '…'` is among the literals.
  "new RegExp(`^(?:${pattern})$`, 'u')": [],
  // Over the schema that Berth prints, when it is printed.
  "new RegExp(`^(  (?:${dangerous.join('|')})\\\\(\\\\n(?:    .*\\\\n)+  \\\\): \\\\w+!?)$`, 'gm')": [
    /^( {2}(?:deleteApp|deleteAppEnv)\(\n(?: {4}.*\n)+ {2}\): \w+!)$/gm,
  ],
}

const found = patternsOfSource()

const slow = (pattern: RegExp): string[] => [...foundByAnalysis(pattern), foundByMeasuring(pattern) ?? []].flat()

test('the analysis, or the measurement, finds patterns that backtrack', () => {
  const bad = [
    /\s+$/,
    /^(ab)*(ab)*$/,
    /(a|aa)+$/,
    /^(\w+\s?)*$/,
    /lock file .* already/,
    /\bbasic\b[^,]*$/i,
    /^(?:.*,)*x$/,
  ]
  expect(bad.filter((pattern) => slow(pattern).length === 0)).toEqual([])
})

test('neither finds anything in patterns that do not', () => {
  const good = [/^[a-z]+-\d+$/, /(?<!\s)\s+$/, /^"[^"]*"$/, /\$\{([a-z]{1,20})\}/g, /lock file "[^"]*" already/]
  expect(good.flatMap((pattern) => slow(pattern).map((why) => `${pattern}: ${why}`))).toEqual([])
})

test('patterns are found in literals, in what builds them, and in values of solutions', () => {
  const source = "a.replace(/b+/g, ''); new RegExp(`x` + y); RegExp('z'); const of = { pattern: '.{2}' }"
  expect(patternsOf('a.ts', source).map(({ text, pattern }) => [text, pattern])).toEqual([
    ['/b+/g', /b+/g],
    ['new RegExp(`x` + y)', null],
    ["RegExp('z')", null],
    ["pattern: '.{2}'", /^(?:.{2})$/u],
  ])
})

test('every pattern of Berth takes linear time, or a reason says why it need not', () => {
  const patterns = new Map(found.flatMap(({ text, path, pattern }) => (pattern ? [[text, { path, pattern }]] : [])))
  const built = Object.entries(BUILT).flatMap(([text, all]) => all.map((pattern) => ({ text, pattern })))
  const slowOnes = [
    ...[...patterns].map(([text, { path, pattern }]) => ({ text, where: path, why: slow(pattern) })),
    ...built.map(({ text, pattern }) => ({ text, where: `built as ${pattern}`, why: slow(pattern) })),
  ].filter(({ why }) => why.length > 0)
  console.info(`patterns: ${found.length} places, ${patterns.size} different, ${built.length} as they are built`)
  expect(patterns.size).toBeGreaterThan(400)
  expect(slowOnes.filter(({ text }) => !(text in HARMLESS))).toEqual([])
  expect(Object.keys(HARMLESS).filter((text) => !slowOnes.some((one) => one.text === text))).toEqual([])
})

test('every pattern that is built when Berth runs is known', () => {
  const built = found.filter(({ pattern }) => pattern === null).map(({ text }) => text)
  expect(built.toSorted()).toEqual(Object.keys(BUILT).toSorted())
})
