import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { NPM, NPM_THAT_FAILS, ScratchClone } from './scratch-clone.ts'

let clone: ScratchClone

beforeEach(() => {
  clone = new ScratchClone({ 'node_modules/left': { version: '1.0.0' } })
})

afterEach(() => clone[Symbol.asyncDispose]())

test('of commands that find nothing installed, one installs and the others wait for it', async () => {
  const first = clone.install()
  await expect.poll(() => clone.installs()).toEqual(['begin ci'])
  const others = [clone.install(), clone.install()]
  for (const { said } of others) await expect.poll(said).toContain('Waiting for another command')
  expect(first.said()).not.toContain('Waiting')
  clone.go()
  expect(await allEnded()).toEqual([0, 0, 0])
  expect(clone.installs()).toEqual(['begin ci', 'end'])
})

test('an install that outlives its command keeps the others waiting', async () => {
  const first = clone.install()
  await expect.poll(() => clone.installs()).toEqual(['begin ci'])
  first.child.kill('SIGKILL')
  await first.ended()
  const second = clone.install()
  await expect.poll(second.said).toContain('Waiting for another command')
  clone.go()
  expect(await second.ended()).toBe(0)
  expect(clone.installs()).toEqual(['begin ci', 'end'])
})

test('what a killed command and a killed install leave keeps nobody waiting, however many come at once', async () => {
  mkdirSync(join(clone.folder, '.setup'), { recursive: true })
  const gone = await Promise.all([0, 1].map(idOfEnded))
  clone.write('.setup/41', gone.join(' '))
  clone.go()
  for (let started = 0; started < 6; started += 1) clone.install()
  expect(await allEnded()).toEqual([0, 0, 0, 0, 0, 0])
  expect(clone.installs()).toEqual(['begin ci', 'end'])
  expect(readdirSync(join(clone.folder, '.setup')).map(Number)).toEqual([expect.any(Number)])
})

test('an install that fails leaves the turn to the next command', async () => {
  clone.becomeNpm(NPM_THAT_FAILS)
  const first = clone.install()
  expect(await first.ended()).not.toBe(0)
  expect(first.said()).toContain('failed (7)')
  clone.becomeNpm(NPM)
  clone.go()
  expect(await clone.install().ended()).toBe(0)
  expect(clone.installs()).toEqual(['begin ci', 'end'])
})

const allEnded = () => Promise.all(clone.commands.map(({ ended }) => ended()))

async function idOfEnded(): Promise<number> {
  const child = spawn(process.execPath, ['--version'])
  await once(child, 'exit')
  return Number(child.pid)
}
