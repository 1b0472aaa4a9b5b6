import { expect, test } from 'vitest'
import { BuildProgress } from '../../../../src/engines/docker/images/own-builder/progress.ts'

const base64 = (text: string) => Buffer.from(text).toString('base64')
const [begun, ended] = ['2026-11-26T10:00:00.000Z', '2026-11-26T10:00:02.500Z']

function read(chunks: readonly (string | object)[]) {
  const lines: string[] = []
  const progress = new BuildProgress((line) => lines.push(line))
  for (const chunk of chunks)
    progress.add(Buffer.from(typeof chunk === 'string' ? chunk : `${JSON.stringify(chunk)}\n`))
  progress.end()
  return { lines, progress }
}

test('a step is named once, as it begins, and its output follows, line by line', () => {
  const vertex = { digest: 'a', name: '[1/2] RUN make', started: begun }
  const { lines, progress } = read([
    { vertexes: [{ digest: 'a', name: '[1/2] RUN make' }] },
    { vertexes: [vertex] },
    { logs: [{ vertex: 'a', data: base64('one\ntw') }] },
    { vertexes: [vertex], logs: [{ vertex: 'a', data: base64('o\nhalf') }] },
    { vertexes: [{ ...vertex, completed: ended }] },
  ])
  expect(lines).toEqual(['[1/2] RUN make', 'one', 'two', 'half'])
  expect(progress.steps).toEqual([{ name: '[1/2] RUN make', seconds: 2.5, isCached: false }])
})

test('what was cached says so, what the daemon does for itself is left out', () => {
  const { lines } = read([
    { vertexes: [{ digest: 'a', name: '[internal] load build context', started: begun }] },
    { vertexes: [{ digest: 'b', name: '[context node:22] OCI load from client', started: begun }] },
    { vertexes: [{ digest: 'c', name: '[1/2] COPY . .', started: begun, completed: begun, cached: true }] },
    'time="2026-11-26T10:00:00Z" level=warning msg="of the daemon"\n',
  ])
  expect(lines).toEqual(['[1/2] COPY . . (cached)'])
})

test('plain words after a failure are kept, wherever the chunks are cut, also within a character', () => {
  const text = `${JSON.stringify({ vertexes: [{ digest: 'a', name: 'RUN é', started: begun, error: 'exit code: 3' }] })}\nDockerfile:2\nerror: failed to solve: é\n`
  const bytes = Buffer.from(text)
  for (let cut = 0; cut <= bytes.length; cut += 1) {
    const lines: string[] = []
    const progress = new BuildProgress((line) => lines.push(line))
    progress.add(bytes.subarray(0, cut))
    progress.add(bytes.subarray(cut))
    progress.end()
    expect([lines, progress.words]).toEqual([['RUN é'], ['Dockerfile:2', 'error: failed to solve: é']])
  }
})

test('a line that never ends holds no more than a part of it, and messages after it are read', () => {
  const lines: string[] = []
  const progress = new BuildProgress((line) => lines.push(line.slice(0, 20)))
  const piece = Buffer.alloc(1024 * 1024, 'x')
  for (let count = 0; count < 9; count += 1) progress.add(piece)
  progress.add(Buffer.from(`\n${JSON.stringify({ vertexes: [{ digest: 'a', name: 'RUN next', started: begun }] })}\n`))
  progress.end()
  expect([lines, progress.words]).toEqual([['RUN next'], []])
})
