import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { ScratchClone } from './scratch-clone.ts'

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

/** How npm was called so far, after one more command. */
async function install(options: { withDevelopment: boolean }): Promise<string[]> {
  const command = clone.install(options)
  expect(await command.ended(), command.said()).toBe(0)
  return clone.installs().filter((line) => line !== 'end')
}

const isThere = (path: string) => existsSync(join(clone.folder, path))
