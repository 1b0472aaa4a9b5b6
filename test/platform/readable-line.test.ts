import { describe, expect, test } from 'vitest'
import { hasColours, isReadable, readableLine } from '../../src/platform/readable-line.mjs'

const time = new Date(2026, 10, 22, 9, 5, 7).getTime()
const line = (fields: object) => readableLine({ level: 30, time, pid: 7, hostname: 'h', name: 'api,worker', ...fields })

describe('a line of the log for people', () => {
  test('says when, who, what, and what it is about', () => {
    expect(line({ msg: 'Version deployed', appEnvId: 'env_1', version: 3 })).toBe(
      '09:05:07  api,worker  Version deployed  appEnvId=env_1 version=3\n',
    )
    expect(line({ msg: 'Migrated', applied: Array(100).fill('migration') }).length).toBeLessThan(250)
    expect(line({ name: 'ingress', level: 40, msg: 'No answer', reason: 'it is away', pauses: [1, 2] })).toBe(
      '09:05:07  ingress     warn  No answer  reason="it is away" pauses=[1,2]\n',
    )
  })

  test('shows a request in short, and its ids if it failed', () => {
    const request = { msg: 'request', method: 'POST', path: '/app', ms: 4.2, requestId: 'req_1', tokenId: 'tok_1' }
    expect(line({ ...request, status: 200 })).toBe('09:05:07  api,worker  POST /app 200 (4.2 ms)\n')
    expect(
      line({ ...request, msg: 'request failed', status: 503, err: { message: '\nIn `x`:\n\n\nNo answer' } }),
    ).toContain('POST /app 503 (4.2 ms): In `x`: No answer  requestId=req_1')
    expect(line({ ...request, status: 409 })).toContain('POST /app 409 (4.2 ms)  requestId=req_1 tokenId=tok_1')
  })

  test('shows an error’s message beside what failed, and its stack below', () => {
    const err = { type: 'Error', message: 'gone', stack: 'Error: gone\n    at here' }
    expect(line({ level: 50, msg: 'Reading failed', err })).toBe(
      '09:05:07  api,worker  error  Reading failed: gone\n  Error: gone\n      at here\n',
    )
    expect(line({ level: 50, msg: 'Reading failed', err: { message: '\ngone\n' } })).toBe(
      '09:05:07  api,worker  error  Reading failed: gone\n',
    )
  })

  test('lets quoted output neither steer the terminal nor pass for a line', () => {
    expect(line({ msg: 'It said: \x1b[2J\n09:05:08  ingress  All is well', path: 'a\x07 b\x9b' })).toBe(
      '09:05:07  api,worker  It said: \\u001b[2J\n  09:05:08  ingress  All is well  path="a\\u0007 b\\u009b"\n',
    )
  })

  test('is coloured only where it is shown', () => {
    expect(readableLine({ level: 40, time, name: 'ingress', msg: 'x' }, { hasColours: true })).toContain(
      '\x1b[33mwarn\x1b[0m',
    )
    expect(hasColours({ isTTY: false })).toBe(false)
  })

  test('is written on a terminal, unless the setting says otherwise', () => {
    const [terminal, pipe] = [{ isTTY: true }, {}]
    expect([isReadable('auto', terminal), isReadable('json', terminal)]).toEqual([true, false])
    expect([isReadable(undefined, pipe), isReadable('auto', pipe), isReadable('text', pipe)]).toEqual([
      false,
      false,
      true,
    ])
  })
})
