import { Readable } from 'node:stream'
import { expect, test } from 'vitest'
import { readFrames } from '../../../src/engines/docker/exec/stream-frames.ts'

function frame(source: number, content: string): Buffer {
  const header = Buffer.from([source, 0, 0, 0, 0, 0, 0, 0])
  header.writeUInt32BE(Buffer.byteLength(content), 4)
  return Buffer.concat([header, Buffer.from(content)])
}

const bytes = Buffer.concat([frame(1, 'first'), frame(2, ''), frame(2, 'error ä'), frame(1, 'x'.repeat(1000))])

async function read(chunks: Buffer[]) {
  const seen = { stdout: '', stderr: '' }
  const parts = { stdout: [] as Buffer[], stderr: [] as Buffer[] }
  for await (const { source, chunk } of readFrames(Readable.from(chunks))) parts[source].push(chunk)
  for (const source of ['stdout', 'stderr'] as const) seen[source] = Buffer.concat(parts[source]).toString()
  return seen
}

test.each([1, 2, 3, 7, 8, 9, 100, 5000])('takes outputs apart in chunks of %i bytes', async (size) => {
  const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, n) =>
    bytes.subarray(n * size, (n + 1) * size),
  )
  expect(await read(chunks)).toEqual({ stdout: `first${'x'.repeat(1000)}`, stderr: 'error ä' })
})

test('hands on the beginning of a frame before its end is there', async () => {
  async function* half() {
    yield bytes.subarray(0, 10)
    throw new Error('no more was asked for')
  }
  const { value } = await readFrames(half()).next()
  expect(value).toMatchObject({ source: 'stdout', chunk: Buffer.from('fi') })
})

test.each([3, 10])('reports a stream that ends after %i bytes of a frame', async (length) => {
  await expect(read([bytes.subarray(0, length)])).rejects.toThrow('broke off')
})

test('is done with a stream that says nothing', async () => {
  expect(await read([])).toEqual({ stdout: '', stderr: '' })
})
