import { Readable } from 'node:stream'
import { describe, expect, test } from 'vitest'
import { jsonLines } from '../../../src/engines/docker/images/json-lines.ts'
import { BuildProgress } from '../../../src/engines/docker/images/own-builder/progress.ts'
import { LogLines } from '../../../src/engines/docker/runtime/log-lines.ts'
import { copiedBytes } from '../../support/copied-bytes.ts'

/** Of one chunk: as little as a proxy may pass on at a time. */
const CHUNK_BYTES = 512

const chunksOf = (bytes: Buffer): Buffer[] =>
  Array.from({ length: Math.ceil(bytes.length / CHUNK_BYTES) }, (_, at) =>
    bytes.subarray(at * CHUNK_BYTES, (at + 1) * CHUNK_BYTES),
  )

const text = (bytes: number) => 'x'.repeat(bytes)
const base64 = (value: string) => Buffer.from(value).toString('base64')

const messages = (bytes: number) =>
  Buffer.from(`${JSON.stringify({ logs: [{ vertex: 'a', data: base64(text(bytes / 2)) }] })}\n`)

const frame = (content: string) => {
  const header = Buffer.from([1, 0, 0, 0, 0, 0, 0, 0])
  header.writeUInt32BE(content.length, 4)
  return Buffer.concat([header, Buffer.from(content)])
}

/** Every place that splits a stream of the engine into lines, with one message as long as it may have to put together. */
const READERS: Record<string, { stream: Buffer; read: (chunks: Buffer[]) => unknown }> = {
  'messages of a builder': {
    stream: messages(2_000_000),
    read: (chunks) => {
      const progress = new BuildProgress(() => {})
      for (const chunk of chunks) progress.add(chunk)
      progress.end()
    },
  },
  'output of a step that ends no line': {
    stream: Buffer.from(
      Array.from(
        { length: 4_000 },
        () => `${JSON.stringify({ logs: [{ vertex: 'a', data: base64(text(16)) }] })}\n`,
      ).join(''),
    ),
    read: (chunks) => {
      const progress = new BuildProgress(() => {})
      for (const chunk of chunks) progress.add(chunk)
      progress.end()
    },
  },
  'answers of the engine': {
    stream: Buffer.from(`${JSON.stringify({ stream: text(2_000_000) })}\n`),
    read: async (chunks) => {
      for await (const _ of jsonLines(Readable.from(chunks)));
    },
  },
  'frames of a container’s log': {
    stream: Buffer.concat(Array.from({ length: 100 }, () => frame(`2026-11-21T07:14:42.123456789Z ${text(16_000)}\n`))),
    read: (chunks) => {
      const lines = new LogLines()
      for (const chunk of chunks) lines.read(chunk)
      lines.end()
    },
  },
}

describe('a stream is put together by looking at each byte once', () => {
  test.each(Object.entries(READERS))('%s', async (_, { stream, read }) => {
    const chunks = chunksOf(stream)
    const copied = await copiedBytes(() => read(chunks))
    expect(copied / stream.length).toBeLessThan(6)
  })
})
