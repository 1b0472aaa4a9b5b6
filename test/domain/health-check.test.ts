import { describe, expect, test } from 'vitest'
import {
  HEALTH_CHECK_TYPES,
  type HealthCheckSettings,
  type HealthCheckType,
  healthCheckType,
  mergedHealthCheck,
  PROBE_TIMING,
  questionProblems,
} from '../../src/domain/health-check.ts'

const VALUES = {
  path: '/ok',
  port: 9000,
  headers: { 'X-A': '1' },
  command: ['true'],
  ...Object.fromEntries(PROBE_TIMING.map((name) => [name, 1])),
}

/** Written here once more, so that a change of the rule is a change of two files. */
const USES: Record<HealthCheckType, string[]> = {
  NONE: ['initialDelaySeconds'],
  TCP: ['port', ...PROBE_TIMING],
  HTTP: ['path', 'port', 'headers', ...PROBE_TIMING],
  COMMAND: ['command', ...PROBE_TIMING],
}
const REQUIRES: Partial<Record<HealthCheckType, string>> = { HTTP: 'path', COMMAND: 'command' }

const TYPES = Object.keys(HEALTH_CHECK_TYPES) as HealthCheckType[]
const cells = TYPES.flatMap((type) => Object.entries(VALUES).map(([field, value]) => ({ type, field, value })))

describe('a health check', () => {
  test.each(cells)(
    'of type $type with $field is refused exactly where nothing reads that',
    ({ type, field, value }) => {
      const required = REQUIRES[type]
      const whole = required ? { [required]: VALUES[required as keyof typeof VALUES] } : {}
      const problems = questionProblems({ ...whole, type, [field]: value })
      expect(problems.map((one) => one.field)).toEqual(USES[type].includes(field) ? [] : [field])
      for (const { message } of problems)
        expect(message).toMatch(new RegExp(`is not used by type ${type}.*leave it out, or`))
    },
  )

  test.each(Object.entries(REQUIRES))('of type %s without its %s is refused, with an example', (type, field) => {
    const [problem, ...others] = questionProblems({ type: type as HealthCheckType })
    expect(problem).toMatchObject({ field, message: expect.stringMatching(/^is required with type .*such as/) })
    expect(others).toEqual([])
  })

  test.each([
    [{}, 'TCP'],
    [{ path: null }, 'TCP'],
    [{ path: '/ok' }, 'HTTP'],
    [{ command: ['true'] }, 'COMMAND'],
    [{ type: 'NONE' }, 'NONE'],
  ] as [HealthCheckSettings, HealthCheckType][])('that is %j is of type %s', (check, type) => {
    expect(healthCheckType(check)).toBe(type)
  })

  test('that names no type may say whatever it could before there were types', () => {
    expect(questionProblems({ path: null, port: 1, headers: { A: 'b' } })).toEqual([])
  })

  test('that a command implies the type of has no path', () => {
    expect(questionProblems({ command: ['true'], path: '/ok' }).map(({ field }) => field)).toEqual(['path'])
  })
})

describe('an environment', () => {
  const HTTP = { path: '/app', port: 1, headers: { A: 'b' }, periodSeconds: 7 }

  test.each([
    ['has its app’s', HTTP, {}, { path: '/app', port: 1, headers: { A: 'b' }, periodSeconds: 7 }],
    ['has its own path, with the app’s port', HTTP, { path: '/own' }, { path: '/own', port: 1, headers: { A: 'b' } }],
    ['has its own port alone', HTTP, { port: 2 }, { path: '/app', port: 2, headers: { A: 'b' }, periodSeconds: 7 }],
    ['connects where its app sends requests', HTTP, { type: 'TCP' }, { path: null, port: 1, headers: { A: 'b' } }],
    ['is a worker of its own accord', HTTP, { type: 'NONE' }, { path: null, port: null, headers: {}, type: 'NONE' }],
    ['is a worker like its app', { type: 'NONE' }, {}, { path: null, port: null, headers: {}, type: 'NONE' }],
    ['is none where its app is one', { type: 'NONE' }, { path: '/' }, { path: '/', port: null, headers: {} }],
    [
      'runs a command',
      HTTP,
      { type: 'COMMAND', command: ['a'], timeoutSeconds: 3 },
      { path: null, port: null, headers: {}, type: 'COMMAND', command: ['a'], timeoutSeconds: 3 },
    ],
  ] as [string, HealthCheckSettings, HealthCheckSettings, object][])('%s', (_title, app, own, merged) => {
    expect(mergedHealthCheck(app, own as never)).toEqual(merged)
  })
})
