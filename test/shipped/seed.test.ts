import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { appEndpoints, checkAppField, checkCreationField } from './seed/app-checks.ts'
import { checkAppEnvField, checkLifecycleField, checkLifecycleOperation, transitions } from './seed/app-env-checks.ts'
import { type NotYet, notYet, notYetSentences, saysNothing } from './seed/not-yet.ts'
import { authentication, errors, lifecycleRules, others, types } from './seed/rule-checks.ts'
import { quote, readSeed, type SeedRow } from './seed/seed.ts'
import { sentences } from './seed/sentence-checks.ts'
import { solutions } from './seed/solution-checks.ts'
import { checkUpdateField } from './seed/update-checks.ts'
import { type Check, type Checks, startWalk, type Walk } from './seed/walk.ts'

/** One check for every row of a table whose rows are all of one kind. */
const tables: Checks = {
  '2.1': checkCreationField,
  '2.2': checkAppField,
  '2.3': checkAppField,
  '2.4': checkAppEnvField,
  '2.5': checkLifecycleField,
  '4.1': checkLifecycleOperation,
  '4.2': checkUpdateField,
}

const inSection = (section: string, checks: Checks): Checks =>
  Object.fromEntries(Object.entries(checks).map(([key, check]) => [`${section} ${key}`, check]))

const single: Checks = {
  ...types,
  ...lifecycleRules,
  ...authentication,
  ...errors,
  ...others,
  ...solutions,
  ...inSection('3', transitions),
  ...inSection('4.2', appEndpoints),
}

const checkOf = ({ key, section }: SeedRow): Check | undefined =>
  single[key] ?? (/ rule \d+$/.test(key) ? undefined : tables[section])

const rows = readSeed().filter(({ key }) => !saysNothing.has(key))
const existing = rows.filter(({ key }) => !notYet[key])
const quoted = sentences.map(([section, sentence, check]) => [quote(section, sentence), check] as const)
const walked: (readonly [SeedRow, Check | undefined])[] = [
  ...existing.map((row) => [row, checkOf(row)] as const),
  ...quoted,
]

const waiting: (readonly [SeedRow, NotYet])[] = [
  ...rows.flatMap((row) => (notYet[row.key] ? [[row, notYet[row.key] as NotYet] as const] : [])),
  ...notYetSentences.map(([section, sentence, entry]) => [quote(section, sentence), entry] as const),
]

let walk: Walk
let passed = 0

beforeAll(async () => {
  walk = await startWalk()
})

afterAll(async () => {
  await walk?.close()
  const lines = waiting.map(([{ key }, { waitsFor }]) => `  not yet: ${key} (waits for ${waitsFor})`)
  console.info(`seed walk: rows passed ${passed} of ${walked.length + waiting.length}\n${lines.join('\n')}`)
})

describe('a row of the seed that exists', () => {
  test.each(walked.map(([row, check]) => [row.key, row, check] as const))('%s', async (key, row, check) => {
    if (!check) throw new Error(`Nothing checks the row ${key}`)
    await check(walk, row)
    passed += 1
  })
})

describe('a row of the seed that waits for a missing part', () => {
  test.each(waiting.map(([row, entry]) => [row.key, row, entry] as const))(
    '%s is still missing',
    async (_key, row, entry) => {
      await entry.isMissing(walk, row)
    },
  )

  test('is a row of the seed', () => {
    const keys = new Set(readSeed().map(({ key }) => key))
    expect([...Object.keys(notYet), ...Object.keys(single), ...saysNothing].filter((key) => !keys.has(key))).toEqual([])
  })
})
