import { expect, test } from 'vitest'
import { connect } from '../../../../src/engines/docker/connection.ts'
import { watchReplicas } from '../../../../src/engines/docker/runtime/watch.ts'
import { fakeEngine } from '../../../support/fake-engine.ts'

interface Event {
  Action: string
  exitCode?: string
  seconds: number
}

const eventLine = ({ Action, exitCode, seconds }: Event) =>
  JSON.stringify({
    Action,
    timeNano: seconds * 1e9,
    Actor: { ID: 'c1', Attributes: { 'berth.env': 'env_1', ...(exitCode === undefined ? {} : { exitCode }) } },
  })

/** The ends that these events of one container tell of: exit code, and whether memory ran out. */
async function endsOf(events: readonly Event[]): Promise<string[]> {
  let isTold = false
  await using engine = await fakeEngine((_request, { searchParams }) => {
    const isFirst = !isTold && searchParams.get('filters')?.includes('oom')
    isTold ||= Boolean(isFirst)
    return { body: isFirst ? `${events.map(eventLine).join('\n')}\n` : '' }
  })
  const ended = new AbortController()
  const ends: string[] = []
  let left = events.length
  await watchReplicas(
    connect({ dockerHost: engine.host, installationId: 'ins_ends' }),
    (_appEnvId, end) => {
      if (end) ends.push(`${end.exitCode} at ${end.at.getTime() / 1000}${end.outOfMemory ? ', out of memory' : ''}`)
      left -= 1
      if (left === 0) ended.abort()
    },
    ended.signal,
  )
  return ends
}

const started = { Action: 'start', seconds: 1 }
const starved = (seconds: number) => ({ Action: 'oom', seconds })
const died = (seconds: number) => ({ Action: 'die', exitCode: '137', seconds })

test('a container that is reported out of memory, and then ended, ran out of memory', async () => {
  expect(await endsOf([started, starved(2), died(3)])).toEqual(['137 at 3, out of memory'])
})

test('an end is corrected when memory is reported after it', async () => {
  expect(await endsOf([started, died(2), starved(3)])).toEqual(['137 at 2', '137 at 2, out of memory'])
})

test('a report after the next start concerns the next end', async () => {
  expect(await endsOf([started, died(2), { ...started, seconds: 3 }, starved(4), died(5)])).toEqual([
    '137 at 2',
    '137 at 5, out of memory',
  ])
})

test('a process that was killed for memory in an earlier life of the container explains no later end', async () => {
  expect(await endsOf([started, starved(2), { ...started, seconds: 3 }, died(4)])).toEqual(['137 at 4'])
})
