import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pino from 'pino'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { registerProcess } from '../../src/platform/process-registry/process-registry.ts'

const log = pino({ level: 'silent' })
const PRESENCE = join(import.meta.dirname, '../../src/platform/process-registry/process-registry.ts')

let dataDir: string

beforeEach(() => {
  // Longer than the name of a socket may be.
  dataDir = join(mkdtempSync(join(tmpdir(), 'berth-presence-')), 'deep'.repeat(30))
  mkdirSync(dataDir)
})

afterEach(() => rmSync(join(dataDir, '..'), { recursive: true, force: true }))

/** Another process that is present with these roles. */
async function elsewhere(...roles: string[]) {
  const program = `
    import { registerProcess } from ${JSON.stringify(PRESENCE)}
    const presence = await registerProcess(${JSON.stringify(dataDir)}, ${JSON.stringify(roles)}, { debug: console.error })
    process.once('SIGTERM', () => { presence.close(); process.exit(0) })
    setInterval(() => {}, 1000)
    console.log(presence.name)`
  const child = spawn(process.execPath, ['--input-type=module-typescript', '-e', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [line] = await once(child.stdout, 'data')
  const end = async (signal: NodeJS.Signals) => {
    child.kill(signal)
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
  }
  return { child, name: String(line).trim(), end }
}

describe('the presence of a process on a data directory', () => {
  test('is seen by others, with what it says of itself, and is no news to itself', async () => {
    const own = await registerProcess(dataDir, ['api'], log)
    expect(await own.lookAround()).toEqual({ living: [], deadWorkers: [] })
    const other = await elsewhere('worker', 'ingress')
    const { living } = await own.lookAround()
    expect(living).toMatchObject([{ pid: other.child.pid, roles: ['worker', 'ingress'], isStopping: false }])
    await other.end('SIGKILL')
    own.close()
  })

  test('ends with a death that is certain when the process is killed, until it is forgotten', async () => {
    const [worker, ingress] = [await elsewhere('worker'), await elsewhere('ingress')]
    await Promise.all([worker.end('SIGKILL'), ingress.end('SIGKILL')])
    const own = await registerProcess(dataDir, ['api'], log)
    expect(await own.lookAround()).toEqual({ living: [], deadWorkers: [worker.name] })
    own.forget([worker.name])
    expect(await own.lookAround()).toEqual({ living: [], deadWorkers: [] })
    expect(readdirSync(join(dataDir, 'processes'))).toEqual([own.name])
    own.close()
  })

  test('does not end when the process is paused', async () => {
    const worker = await elsewhere('worker')
    worker.child.kill('SIGSTOP')
    const own = await registerProcess(dataDir, ['worker'], log)
    expect(await own.lookAround()).toEqual({ living: [], deadWorkers: [] })
    worker.child.kill('SIGCONT')
    expect((await own.lookAround()).living).toMatchObject([{ pid: worker.child.pid }])
    await worker.end('SIGKILL')
    own.close()
  })

  test('leaves nothing behind when it ends in order', async () => {
    const worker = await elsewhere('worker')
    await worker.end('SIGTERM')
    const own = await registerProcess(dataDir, ['worker'], log)
    expect(await own.lookAround()).toEqual({ living: [], deadWorkers: [] })
    own.close()
    expect(readdirSync(join(dataDir, 'processes'))).toEqual([])
  })

  test('is no condition: a folder in which it cannot be announced only hides it', async () => {
    const own = await registerProcess('/dev/null', ['worker'], log)
    expect(await own.lookAround()).toEqual({ living: [], deadWorkers: [] })
    own.close()
  })
})
