import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'

const DEPENDENCIES = join(import.meta.dirname, '../../scripts/setup/dependencies.mjs')
const INSTALL = `
  const { installDependencies } = await import(${JSON.stringify(DEPENDENCIES)})
  await installDependencies(process.cwd())`

/** Notes when it begins and ends, and leaves what npm leaves. It waits for the file "go". */
const NPM = `#!${process.execPath}
  const { appendFileSync, copyFileSync, existsSync, mkdirSync } = require('node:fs')
  appendFileSync('installs.txt', 'begin\\n')
  const timer = setInterval(() => {
    if (!existsSync('go')) return
    clearInterval(timer)
    mkdirSync('node_modules', { recursive: true })
    copyFileSync('package-lock.json', 'node_modules/.package-lock.json')
    appendFileSync('installs.txt', 'end\\n')
  }, 20)`

let clone: string
let commands: { child: ChildProcess; said: () => string }[]

beforeEach(() => {
  clone = mkdtempSync(join(tmpdir(), 'berth-setup-'))
  commands = []
  mkdirSync(join(clone, 'bin'))
  writeFileSync(join(clone, 'bin/npm'), NPM)
  chmodSync(join(clone, 'bin/npm'), 0o755)
  const packages = { '': {}, 'node_modules/left': { version: '1.0.0' } }
  writeFileSync(join(clone, 'package-lock.json'), JSON.stringify({ packages }))
})

afterEach(async () => {
  writeFileSync(join(clone, 'go'), '')
  await Promise.all(commands.map(({ child }) => ended(child)))
  rmSync(clone, { recursive: true, force: true })
})

test('of commands that find nothing installed, one installs and the others wait for it', async () => {
  const first = install()
  await expect.poll(installs).toEqual(['begin'])
  const others = [install(), install()]
  for (const { said } of others) await expect.poll(said).toContain('Waiting for another command')
  expect(first.said()).not.toContain('Waiting')
  writeFileSync(join(clone, 'go'), '')
  expect(await Promise.all(commands.map(({ child }) => ended(child)))).toEqual([0, 0, 0])
  expect(installs()).toEqual(['begin', 'end'])
})

test('an install that outlives its command keeps the others waiting', async () => {
  const first = install()
  await expect.poll(installs).toEqual(['begin'])
  first.child.kill('SIGKILL')
  await ended(first.child)
  const second = install()
  await expect.poll(second.said).toContain('Waiting for another command')
  writeFileSync(join(clone, 'go'), '')
  expect(await ended(second.child)).toBe(0)
  expect(installs()).toEqual(['begin', 'end'])
})

test('what a killed command and a killed install leave keeps nobody waiting, however many come at once', async () => {
  mkdirSync(join(clone, 'node_modules/.setup'), { recursive: true })
  const gone = await Promise.all([0, 1].map(idOfEnded))
  writeFileSync(join(clone, 'node_modules/.setup/41'), gone.join(' '))
  writeFileSync(join(clone, 'go'), '')
  for (let started = 0; started < 6; started += 1) install()
  expect(await Promise.all(commands.map(({ child }) => ended(child)))).toEqual([0, 0, 0, 0, 0, 0])
  expect(installs()).toEqual(['begin', 'end'])
  expect(readdirSync(join(clone, 'node_modules/.setup')).map(Number)).toEqual([expect.any(Number)])
})

test('an install that fails leaves the turn to the next command', async () => {
  writeFileSync(join(clone, 'bin/npm'), `#!${process.execPath}\n  process.exit(7)`)
  const first = install()
  expect(await ended(first.child)).not.toBe(0)
  expect(first.said()).toContain('failed (7)')
  writeFileSync(join(clone, 'bin/npm'), NPM)
  writeFileSync(join(clone, 'go'), '')
  expect(await ended(install().child)).toBe(0)
  expect(installs()).toEqual(['begin', 'end'])
})

function install() {
  const environment = { ...process.env, PATH: `${join(clone, 'bin')}${delimiter}${process.env.PATH}` }
  const child = spawn(process.execPath, ['--input-type=module', '--eval', INSTALL], { cwd: clone, env: environment })
  let text = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => {
      text += chunk
    })
  }
  const command = { child, said: () => text }
  commands.push(command)
  return command
}

function installs(): string[] {
  try {
    return readFileSync(join(clone, 'installs.txt'), 'utf8').trim().split('\n')
  } catch {
    return []
  }
}

async function ended(child: ChildProcess): Promise<number | null> {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
  return child.exitCode
}

async function idOfEnded(): Promise<number> {
  const child = spawn(process.execPath, ['--version'])
  await ended(child)
  return Number(child.pid)
}
