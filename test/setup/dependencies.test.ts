import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { type InstallOptions, ScratchClone } from './scratch-clone.ts'

const RUNS = 'node_modules/runs'
const TESTS = 'node_modules/tests'
const PACKAGES = { [RUNS]: { version: '1.0.0' }, [TESTS]: { version: '1.0.0', dev: true } }
const FIRST_LEAN = 'begin ci --omit=dev'
const FIRST_WHOLE = 'begin ci'
const LEAN = 'begin install --omit=dev'
const WHOLE = 'begin install'

let clone: ScratchClone

beforeEach(() => {
  clone = new ScratchClone(PACKAGES)
  clone.go()
})

afterEach(() => clone[Symbol.asyncDispose]())

test('a command that runs Berth installs what running needs, once', async () => {
  expect(await install({ withDevelopment: false })).toEqual([FIRST_LEAN])
  expect([RUNS, TESTS].map(isThere)).toEqual([true, false])
  expect(await install({ withDevelopment: false })).toEqual([FIRST_LEAN])
})

test('a command that tests adds the rest, and a start after it takes nothing away', async () => {
  await install({ withDevelopment: false })
  expect(await install({ withDevelopment: true })).toEqual([FIRST_LEAN, WHOLE])
  expect([RUNS, TESTS].map(isThere)).toEqual([true, true])
  expect(await install({ withDevelopment: false })).toEqual([FIRST_LEAN, WHOLE])
})

test('a start that finds another lock file keeps the packages of development', async () => {
  await install({ withDevelopment: true })
  clone.lock({ ...PACKAGES, [RUNS]: { version: '2.0.0' } })
  expect(await install({ withDevelopment: false })).toEqual([FIRST_WHOLE, WHOLE])
  expect([RUNS, TESTS].map(isThere)).toEqual([true, true])
})

test('another version of a package of development concerns no start', async () => {
  await install({ withDevelopment: true })
  clone.lock({ ...PACKAGES, [TESTS]: { version: '2.0.0', dev: true } })
  expect(await install({ withDevelopment: false })).toEqual([FIRST_WHOLE])
  expect(await install({ withDevelopment: true })).toEqual([FIRST_WHOLE, WHOLE])
})

test('a package that is recorded, and whose folder is gone, is installed again', async () => {
  await install({ withDevelopment: false })
  rmSync(join(clone.folder, RUNS), { recursive: true })
  expect(await install({ withDevelopment: false })).toEqual([FIRST_LEAN, LEAN])
  expect(isThere(RUNS)).toBe(true)
})

describe('in little memory', () => {
  const memory = { totalMb: 960, availableMb: 700, freeSwapMb: 0 }
  const little = { withDevelopment: false, memory }
  const IN_TWO_STEPS = [`${FIRST_LEAN.replace('ci', 'ci --ignore-scripts')}`, 'begin rebuild runs']

  beforeEach(() =>
    clone.write('package.json', JSON.stringify({ allowScripts: { runs: true, tests: false, away: true } })),
  )

  test('scripts of packages run after npm, those that may', async () => {
    expect(await install(little)).toEqual(IN_TWO_STEPS)
    expect(await install(little)).toEqual(IN_TWO_STEPS)
  })

  test('scripts of packages that stay as they are do not run again', async () => {
    await install(little)
    clone.lock({ ...PACKAGES, 'node_modules/other': { version: '1.0.0' } })
    const added = FIRST_LEAN.replace('ci', 'install --ignore-scripts')
    expect(await install(little)).toEqual([...IN_TWO_STEPS, added])
    clone.lock({ ...PACKAGES, [RUNS]: { version: '2.0.0' } })
    expect(await install(little)).toEqual([...IN_TWO_STEPS, added, added, 'begin rebuild runs'])
  })

  test('an install whose scripts failed is done again', async () => {
    clone.write('rebuild-fails', '')
    expect(await clone.install(little).ended()).not.toBe(0)
    rmSync(join(clone.folder, 'rebuild-fails'))
    expect(await install(little)).toEqual([...IN_TWO_STEPS, ...IN_TWO_STEPS])
  })

  test('what is missing is said before anything is done, and can be ignored', async () => {
    const scarce = { withDevelopment: false, memory: { ...memory, availableMb: 180, freeSwapMb: 20 } }
    const command = clone.install(scarce)
    expect(await command.ended()).not.toBe(0)
    expect(command.said()).toMatch(/takes \d+ MB of memory, and 180 MB and 20 MB of swap are available[\s\S]*swapon/)
    expect(clone.installs()).toEqual([])
    expect(await install({ ...scarce, memory: { ...memory, availableMb: 180, freeSwapMb: 2_000 } })).toEqual(
      IN_TWO_STEPS,
    )
    rmSync(join(clone.folder, 'node_modules'), { recursive: true })
    vi.stubEnv('BERTH_IGNORE_MEMORY', 'true')
    expect(await install(scarce)).toEqual([...IN_TWO_STEPS, ...IN_TWO_STEPS])
    vi.unstubAllEnvs()
  })
})

/** How npm was called so far, after one more command. */
async function install(options: InstallOptions): Promise<string[]> {
  const command = clone.install(options)
  expect(await command.ended(), command.said()).toBe(0)
  return clone.installs().filter((line) => line !== 'end')
}

const isThere = (path: string) => existsSync(join(clone.folder, path))
