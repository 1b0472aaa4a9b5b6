import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { bootId } from '../../scripts/setup/boot-id.mjs'
import { ScratchClone } from './scratch-clone.ts'

const PACKAGE = 'node_modules/only'
const MARK = '.setup/making-dependencies'
const RECORD = 'node_modules/.package-lock.json'

let clone: ScratchClone

beforeEach(() => {
  clone = new ScratchClone({ [PACKAGE]: { version: '1.0.0' } })
  clone.go()
})

afterEach(() => clone[Symbol.asyncDispose]())

const inClone = (path: string) => join(clone.folder, path)

/** How npm was called in all, after one more command. */
async function install(): Promise<string[]> {
  const command = clone.install()
  expect(await command.ended(), command.said()).toBe(0)
  expect(existsSync(inClone(MARK))).toBe(false)
  expect(JSON.parse(readFileSync(inClone(`${PACKAGE}/package.json`), 'utf8'))).toEqual({ version: '1.0.0' })
  return clone.installs().filter((line) => line !== 'end')
}

test('an install is marked until it is on the disk', async () => {
  clone.becomeNpm(`#!${process.execPath}\nrequire('node:fs').copyFileSync('${MARK}', 'mark')\nprocess.exit(7)`)
  expect(await clone.install().ended()).not.toBe(0)
  expect(readFileSync(inClone('mark'), 'utf8')).toBe(bootId())
})

test('what a power cut may have emptied is installed anew from nothing', async () => {
  await install()
  writeFileSync(inClone(MARK), 'the boot before')
  expect(await install()).toEqual(['begin ci', 'begin ci'])
  writeFileSync(inClone(MARK), '')
  expect(await install()).toEqual(['begin ci', 'begin ci', 'begin ci'])
})

test('what a killed command has made whole is kept', async () => {
  await install()
  writeFileSync(inClone(MARK), bootId())
  expect(await install()).toEqual(['begin ci'])
})

test.each(['', '{"packages":{"node_mod', '\0\0\0'])(
  'a record of packages that holds %j counts as none',
  async (content) => {
    await install()
    writeFileSync(inClone(RECORD), content)
    expect(await install()).toEqual(['begin ci', 'begin ci'])
  },
)

test('a package whose description is empty is installed again', async () => {
  await install()
  writeFileSync(inClone(`${PACKAGE}/package.json`), '')
  expect(await install()).toEqual(['begin ci', 'begin install'])
})

test('a turn from before a boot keeps no command waiting, whatever process has its number now', async () => {
  mkdirSync(inClone('.setup'))
  writeFileSync(inClone('.setup/41'), `boot=another ${process.pid}`)
  const command = clone.install()
  expect(await command.ended()).toBe(0)
  expect(command.said()).not.toContain('Waiting')
})
