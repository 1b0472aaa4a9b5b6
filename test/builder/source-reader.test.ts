import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startSourceReader } from '../../src/builder/source-reader/start-source-reader.ts'

const LIMITS = { heapMb: 64, readingSeconds: 20, cpuSeconds: 60 }
const never = new AbortController().signal
const QUESTION = { text: 'FROM a\nARG X', names: ['X', 'Y'] }

let folder: string

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'berth-reader-'))
})
afterAll(() => rmSync(folder, { recursive: true }))

/** One piece after another: in a loop, what is not written yet would fill the memory first. */
const flood = (stream: string) => `const on = () => process.${stream}.write('x'.repeat(1000), on); on()`

let programs = 0
/** A reader after something that it read has taken it over: `poison` is what it does with a question. */
function poisoned(poison: string, limits = {}) {
  programs += 1
  const entry = join(folder, `${programs}.mjs`)
  const answer = `const answer = (outcome) => { const body = Buffer.from(JSON.stringify(outcome)); const head = Buffer.alloc(4)
    head.writeUInt32BE(body.length); channel.write(Buffer.concat([head, body])) }`
  const open = `import net from 'node:net'\nconst channel = new net.Socket({ fd: 3 })\nchannel.on('close', () => process.exit())`
  writeFileSync(entry, `${open}\n${answer}\nchannel.once('data', async () => { ${poison} })`)
  return startSourceReader(folder, { ...LIMITS, ...limits }, entry)
}

test('what is asked is answered, and the process ends when it is disposed', async () => {
  await using reader = startSourceReader(folder, LIMITS)
  expect(await reader.read('exposedVariables', QUESTION, never)).toEqual(['X'])
  await expect(
    reader.read('namedImages', { text: 'SUDO', buildArgs: {}, isClassic: false }, never),
  ).rejects.toMatchObject({
    reason: 'DOCKERFILE_INVALID',
  })
  expect(await reader.read('namedImages', { text: 'FROM a', buildArgs: {}, isClassic: false }, never)).toEqual([
    'docker.io/library/a:latest',
  ])
  const packed = await buffer(reader.pack({ context: null, dockerfile: 'FROM a', options: {} }, never))
  expect(packed.toString()).toContain('.berth.Dockerfile')
  await reader[Symbol.asyncDispose]()
  await expect(reader.read('exposedVariables', QUESTION, never)).rejects.toThrow('ended')
})

describe('a reader that', () => {
  test.each([
    ['takes memory without end', 'const all = []; for (;;) all.push({ all: [all.length] })', /64 MB of memory/],
    ['takes buffers without end', 'const all = []; for (;;) all.push(Buffer.alloc(1e7, 1))', /takes more than/],
    ['never answers', '', /more than 1 s \(BERTH_SOURCE_READING_SECONDS\)/],
    ['never ends a loop', 'for (;;);', /more than 1 s/],
    ['prints without end', flood('stdout'), /more than 64 KB of output/],
    ['reports without end', flood('stderr'), /more than 64 KB of output/],
    ['answers without end', `for (;;) channel.write(Buffer.alloc(1e5, 255))`, /for its answer/],
    ['answers what is no JSON', `channel.write(Buffer.from([0, 0, 0, 1, 65]))`, /for its answer/],
    ['answers something else', `answer({ answer: { not: 'a list' } })`, /gives more than a source may hold/],
    ['answers too much', `answer({ answer: Array(2000).fill('x') })`, /gives more than/],
    ['fails with an unknown reason', `answer({ failure: 'NO_REASON', message: 'x' })`, /gives more than/],
    ['ends', 'process.exit(0)', /ended with exit code 0/],
    ['crashes', `throw new Error('x')`, /ended with exit code 1/],
    ['kills itself', `process.kill(process.pid, 'SIGTERM')`, /ended with SIGTERM/],
  ])('%s fails its build, and nothing else', async (_name, poison, words) => {
    const readingSeconds = words.source.includes('1 s') ? 1 : LIMITS.readingSeconds
    await using reader = poisoned(poison, { readingSeconds })
    const reading = reader.read('exposedVariables', QUESTION, never)
    await expect(reading).rejects.toMatchObject({
      reason: 'SOURCE_LIMIT_EXCEEDED',
      message: expect.stringMatching(words),
    })
    await expect(reading).rejects.toThrow('Reading the Dockerfile ')
  })

  test('never ends a loop is ended by the kernel too, when nobody waits for it any more', async () => {
    await using reader = poisoned('for (;;);', { cpuSeconds: 1 })
    await expect(reader.read('exposedVariables', QUESTION, never)).rejects.toThrow('more than 1 s of processor time')
  })

  test('is abandoned ends at once, with the reason of whoever abandoned it', async () => {
    await using reader = poisoned('for (;;);')
    const abandoned = new AbortController()
    const reading = reader.read('exposedVariables', QUESTION, abandoned.signal)
    setTimeout(() => abandoned.abort(new Error('superseded')), 200)
    await expect(reading).rejects.toThrow('superseded')
    await expect(reader.read('exposedVariables', QUESTION, never)).rejects.toThrow('superseded')
  })

  test('ends while it packs gives no whole archive', async () => {
    await using reader = poisoned(`new net.Socket({ fd: 4 }).write('some', () => process.exit(0))`)
    const packed = reader.pack({ context: null, dockerfile: '', options: {} }, never)
    await expect(buffer(packed)).rejects.toMatchObject({ reason: 'SOURCE_LIMIT_EXCEEDED' })
  })
})

test('a reader has no settings of its worker, and no other programs or threads', async () => {
  process.env.BERTH_TEST_SECRET = 'hunter2'
  const attempts = `
    const names = Object.keys(process.env)
    const refused = async (attempt) => { try { await attempt(); return 'allowed' } catch (error) { return error.code } }
    names.push(await refused(async () => (await import('node:child_process')).spawnSync('id')))
    names.push(await refused(async () => new (await import('node:worker_threads')).Worker('1', { eval: true })))
    names.push(process.cwd())
    answer({ answer: names })`
  await using reader = poisoned(attempts)
  const names = await reader.read('exposedVariables', QUESTION, never)
  // A shell sets some of its own.
  expect(names.filter((name) => !['PWD', 'OLDPWD', 'SHLVL', '_'].includes(name))).toEqual([
    'ERR_ACCESS_DENIED',
    'ERR_ACCESS_DENIED',
    folder,
  ])
  delete process.env.BERTH_TEST_SECRET
})

test('a program that cannot be started is no fault of the source', async () => {
  await using reader = startSourceReader(join(folder, 'nowhere'), LIMITS)
  await expect(reader.read('exposedVariables', QUESTION, never)).rejects.toMatchObject({ code: 'ENOENT' })
})

test('a reader ends with its worker, when that is killed', async () => {
  const start = JSON.stringify(import.meta.resolve('../../src/builder/source-reader/start-source-reader.ts'))
  const program = `
    import { readFileSync } from 'node:fs'
    const { startSourceReader } = await import(${start})
    const reader = startSourceReader('.', ${JSON.stringify(LIMITS)})
    await reader.read('exposedVariables', ${JSON.stringify(QUESTION)}, new AbortController().signal)
    console.log(readFileSync('/proc/self/task/' + process.pid + '/children', 'utf8'))
    setInterval(() => {}, 1000)`
  const worker = spawn(process.execPath, ['--input-type=module', '-e', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [printed] = (await once(worker.stdout, 'data')) as [Buffer]
  const pid = Number(printed.toString())
  expect(existsSync(`/proc/${pid}`)).toBe(true)
  worker.kill('SIGKILL')
  await expect.poll(() => existsSync(`/proc/${pid}`)).toBe(false)
})
