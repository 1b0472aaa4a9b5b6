import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pino from 'pino'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { registerProcess } from '../../src/platform/process-registry/process-registry.ts'

const log = pino({ level: 'silent' })
const REGISTRY = join(import.meta.dirname, '../../src/platform/process-registry/process-registry.ts')

let dataDir: string

beforeEach(() => {
  // Longer than the name of a socket may be.
  dataDir = join(mkdtempSync(join(tmpdir(), 'berth-registry-')), 'deep'.repeat(30))
  mkdirSync(dataDir)
})

afterEach(() => rmSync(join(dataDir, '..'), { recursive: true, force: true }))

/** Another process that is present with these roles. */
async function elsewhere(...roles: string[]) {
  const program = `
    import { registerProcess } from ${JSON.stringify(REGISTRY)}
    const registration = await registerProcess(${JSON.stringify(dataDir)}, ${JSON.stringify(roles)}, { debug: console.error })
    process.once('SIGTERM', () => { registration.close(); process.exit(0) })
    setInterval(() => {}, 1000)
    console.log(registration.name)`
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

describe('the registration of a process on a data directory', () => {
  test('is listed by other processes, with its description, and not by itself', async () => {
    const own = await registerProcess(dataDir, ['api'], log)
    expect(await own.listProcesses()).toEqual({ living: [], deadWorkers: [] })
    const other = await elsewhere('worker', 'ingress')
    const { living } = await own.listProcesses()
    expect(living).toMatchObject([{ pid: other.child.pid, roles: ['worker', 'ingress'], isStopping: false }])
    await other.end('SIGKILL')
    own.close()
  })

  test('ends with a death that is certain when the process is killed, until its entry is removed', async () => {
    const [worker, ingress] = [await elsewhere('worker'), await elsewhere('ingress')]
    await Promise.all([worker.end('SIGKILL'), ingress.end('SIGKILL')])
    const own = await registerProcess(dataDir, ['api'], log)
    expect(await own.listProcesses()).toEqual({ living: [], deadWorkers: [worker.name] })
    own.removeDead([worker.name])
    expect(await own.listProcesses()).toEqual({ living: [], deadWorkers: [] })
    expect(readdirSync(join(dataDir, 'processes'))).toEqual([own.name])
    own.close()
  })

  test('does not end when the process is paused', async () => {
    const worker = await elsewhere('worker')
    worker.child.kill('SIGSTOP')
    const own = await registerProcess(dataDir, ['worker'], log)
    expect(await own.listProcesses()).toEqual({ living: [], deadWorkers: [] })
    worker.child.kill('SIGCONT')
    expect((await own.listProcesses()).living).toMatchObject([{ pid: worker.child.pid }])
    await worker.end('SIGKILL')
    own.close()
  })

  test('leaves nothing behind when it ends in order', async () => {
    const worker = await elsewhere('worker')
    await worker.end('SIGTERM')
    const own = await registerProcess(dataDir, ['worker'], log)
    expect(await own.listProcesses()).toEqual({ living: [], deadWorkers: [] })
    own.close()
    expect(readdirSync(join(dataDir, 'processes'))).toEqual([])
  })

  test('is no condition: a folder in which it cannot be announced only hides it', async () => {
    const own = await registerProcess('/dev/null', ['worker'], log)
    expect(await own.listProcesses()).toEqual({ living: [], deadWorkers: [] })
    own.close()
  })
})
