import { setTimeout as pause } from 'node:timers/promises'
import Docker from 'dockerode'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  commandLine,
  createWorld,
  eventually,
  onlyReplica,
  said,
  type World,
} from '../../../contracts/engine-harness.ts'
import { BLOCK_BYTES, hashed, randomBlocks } from '../../../contracts/streams.ts'
import { dockerEngine } from '../../../support/docker-engine.ts'
import { ENGINE_SOCKET, dockerHarness as harness } from '../../../support/docker-harness.ts'
import { engineProxy } from '../../../support/engine-proxy.ts'

const docker = new Docker()
const MB = 1024 * 1024
const TOTAL_MB = 128
/** Of so much each way, this much more memory at most: buffers of streams, and garbage. */
const MAX_MEMORY_MB = 96

let world: World
let container: { name: string; containerId: string }

beforeAll(async () => {
  world = createWorld(harness, await harness.ensureImage())
  const rollout = world.rollout({ volume: { id: 'vol_execexecexec1', path: '/data' } })
  await world.runtime.apply(rollout)
  container = await onlyReplica(world.runtime, rollout.appEnvId)
})
afterAll(() => harness.cleanUp(world.installationId))

async function processes(): Promise<string[]> {
  const { Processes } = await docker.getContainer(container.containerId).top()
  return Processes.map((fields: string[]) => fields.at(-1) ?? '')
}

/** Of a shell, children of which one is in a session of its own. */
const FAMILY = `node -e 'setInterval(() => {}, 1000) // child' &
  node -e "require('node:child_process').spawn('node', ['-e', 'setInterval(() => {}, 1000) // detached'], { detached: true, stdio: 'ignore' }).unref()"
  echo ready
  wait`

test('carries 128 MB in and 128 MB out in little memory', { timeout: 180_000 }, async () => {
  const blocks = (TOTAL_MB * MB) / BLOCK_BYTES
  const sent = randomBlocks(blocks)
  const received = hashed()
  const before = process.memoryUsage().rss
  let most = 0
  const output = (chunk: Uint8Array) => {
    received.output(chunk)
    most = Math.max(most, process.memoryUsage().rss - before)
  }
  const begin = performance.now()
  const command = commandLine(harness.programs.copy)
  const result = await world.runtime.exec(container.name, command, { input: sent.blocks, output, timeoutSeconds: 170 })
  const seconds = (performance.now() - begin) / 1000
  console.log(
    `${TOTAL_MB} MB each way in ${seconds.toFixed(1)} s, with ${(most / MB).toFixed(0)} MB more memory at most`,
  )
  expect(result.exitCode).toBe(0)
  expect(received.bytes()).toBe(TOTAL_MB * MB)
  expect(received.digest()).toBe(sent.digest())
  expect(most / MB).toBeLessThan(MAX_MEMORY_MB)
})

test('carries 128 MB out of a task in little memory, and keeps none of it as its log', {
  timeout: 180_000,
}, async () => {
  const received = hashed()
  const { entrypoint, args } = harness.programs.pour
  const task = world.task({ entrypoint, args: [...args, String((TOTAL_MB * MB) / BLOCK_BYTES)] })
  const before = process.memoryUsage().rss
  let most = 0
  const output = async (chunk: Uint8Array) => {
    received.output(chunk)
    most = Math.max(most, process.memoryUsage().rss - before)
  }
  expect(await world.runtime.runTask(task, { output, timeoutSeconds: 170 })).toMatchObject({ exitCode: 0 })
  expect(received.bytes()).toBe(TOTAL_MB * MB)
  expect(most / MB).toBeLessThan(MAX_MEMORY_MB)
})

test('leaves no process behind when its caller aborts, and kills no other', async () => {
  const before = await processes()
  const caller = new AbortController()
  const output = () => caller.abort(new Error('enough'))
  const running = world.runtime.exec(container.name, ['sh', '-c', FAMILY], { output, signal: caller.signal })
  await expect(running).rejects.toThrow('enough')
  expect(await processes()).toEqual(before)
})

test('shows the family of processes while it runs', async () => {
  const caller = new AbortController()
  const running = world.runtime.exec(container.name, ['sh', '-c', FAMILY], { signal: caller.signal }).catch(() => {})
  const list = await eventually(processes, (seen) =>
    ['// child', '// detached'].every((end) => seen.some((one) => one.endsWith(end))),
  )
  expect(list.length).toBeGreaterThan(3)
  caller.abort(new Error('enough'))
  await running
  expect((await processes()).filter((one) => /child|detached/.test(one))).toEqual([])
})

test('a command of a killed worker gets the end of its input, goes on, and is killed by its key', async () => {
  const proxy = await engineProxy(ENGINE_SOCKET, null)
  const lost = dockerEngine({ ...world, dockerHost: proxy.host }).runtime
  const LISTEN = `process.stdin.resume().on('end', () => require('node:fs').writeFileSync('/tmp/ended', 'yes'))
    setInterval(() => console.log('// abandoned'), 20)`
  const received = Promise.withResolvers<void>()
  const input = (async function* () {
    yield Buffer.from('begin')
    await new Promise<never>(() => {})
  })()
  const command: [string, ...string[]] = ['node', '-e', LISTEN]
  const options = { key: 'backup', input, output: () => received.resolve(), timeoutSeconds: 60 }
  const running = lost.exec(container.name, command, options).catch((error: unknown) => error)
  await Promise.race([received.promise, running])
  await proxy[Symbol.asyncDispose]()
  expect(await running).toBeInstanceOf(Error)
  const ended = () => said(world.runtime, container.name, commandLine(harness.programs.show, '/tmp/ended'))
  await eventually(ended, ({ text }) => text === 'yes')
  await pause(300)
  expect((await processes()).filter((one) => one.includes('abandoned'))).toHaveLength(1)
  await said(world.runtime, container.name, commandLine(harness.programs.greet), { key: 'backup' })
  expect((await processes()).filter((one) => one.includes('abandoned'))).toEqual([])
})

test('a command is not killed by what kills its predecessors, though a proxy ends that connection early', async () => {
  await using proxy = await engineProxy(ENGINE_SOCKET, null)
  const { runtime } = dockerEngine({ ...world, dockerHost: proxy.host })
  const command: [string, ...string[]] = ['node', '-e', "setTimeout(() => console.log('alive'), 200)"]
  for (let round = 0; round < 10; round += 1) {
    const input = (async function* () {
      yield Buffer.from('begin')
      await new Promise<never>(() => {})
    })()
    const end = await said(runtime, container.name, command, { key: 'again', input })
    expect(end).toMatchObject({ exitCode: 0, text: 'alive\n' })
  }
})

test('runs as another user, also where only that user can kill it', async () => {
  const ids = ['node', '-p', '[process.getuid(), process.getgid()].join()'] as const
  expect(await said(world.runtime, container.name, [...ids], { user: '1000:1000' })).toMatchObject({
    text: '1000,1000\n',
  })
  const caller = new AbortController()
  const output = () => caller.abort(new Error('enough'))
  const options = { user: '1000:1000', output, signal: caller.signal }
  await expect(world.runtime.exec(container.name, ['sh', '-c', FAMILY], options)).rejects.toThrow('enough')
  expect((await processes()).filter((one) => /child|detached/.test(one))).toEqual([])
})

test('puts no input, variable or file into a URL', async () => {
  await using proxy = await engineProxy(ENGINE_SOCKET, null)
  const { runtime } = dockerEngine({ ...world, dockerHost: proxy.host })
  const environment = { TOKEN: 'hunter2' }
  await runtime.exec(container.name, commandLine(harness.programs.greet), { environment })
  await runtime.runTask(world.task({ environment, files: [{ path: '/etc/x/y', content: 'hunter2' }] }))
  expect(proxy.requests.length).toBeGreaterThan(5)
  expect(proxy.requests.filter((line) => line.includes('hunter2') || / \/v\d/.test(line))).toEqual([])
})
