import { describe, expect, test } from 'vitest'
import type { AppType, Preset } from '../../src/app-types/app-type.ts'
import { addAppType, appTypes, getAppType } from '../../src/app-types/app-types.ts'
import { assertComplete } from '../../src/app-types/assert-complete.ts'
import { healthCheckFor, wantedReplicas } from '../../src/app-types/behaviours.ts'
import { versionProblem } from '../../src/app-types/presets.ts'
import { typeNamed } from '../../src/app-types/wire-names.ts'
import type { ObservedReplica } from '../../src/engines/runtime/container-runtime.ts'
import { type ProbeContext, probeReplica } from '../../src/worker/probes/probe-replica.ts'
import { scratch } from './scratch/scratch.ts'

const continuous = (changed: object): Partial<AppType> => ({
  workload: {
    kind: 'CONTINUOUS',
    routing: 'NONE',
    probing: null,
    scaling: { replicas: (n) => n, autoscales: false },
    ...changed,
  },
})

describe('the list of app types', () => {
  test.each([
    ['app', 'APP'],
    ['CUSTOM', 'APP'],
    ['METEOR', 'APP'],
    ['db', 'SERVICE'],
    ['DB', 'SERVICE'],
    ['Database', 'SERVICE'],
    ['isDatabase', 'SERVICE'],
    ['POSTGRESQL', 'SERVICE'],
    ['function', 'FUNCTION'],
    ['Function', 'FUNCTION'],
    ['job', 'JOB'],
  ])('knows %s for %s', (name, type) => {
    expect(typeNamed(name).name).toBe(type)
  })

  test('refuses further types once it was read', () => {
    appTypes()
    expect(() => addAppType(scratch)).toThrow('SCRATCH was added after the list of app types was read')
  })

  test('holds no type that starts no containers where some are configured, unless it runs on demand', () => {
    for (const { name, workload } of appTypes())
      expect(wantedReplicas({ containers: 1, app: { type: name } }), name).toBe(workload.kind === 'ON_DEMAND' ? 0 : 1)
    expect(() => getAppType('NO_SUCH_TYPE')).toThrow()
  })
})

test('a type without its behaviours does not compile, and neither does a preset without its versions', () => {
  const { workload: _workload, ...unfinished } = scratch
  // @ts-expect-error: the effect of a deployment is missing.
  const type: AppType = unfinished
  // @ts-expect-error: the preset's versions are missing.
  const preset: Preset = { kind: 'VERSIONED', name: 'POSTGRESQL' }
  expect([type, preset]).toHaveLength(2)
})

describe('a type without a probe', () => {
  test('is ready as soon as it runs', async () => {
    const healthCheck = healthCheckFor({ ...scratch, ...continuous({}) }, { path: '/', port: null, headers: {} })
    const replica = { address: '127.0.0.1', port: 9 } as ObservedReplica
    const context = { signal: AbortSignal.timeout(1000) } as ProbeContext
    const probed = await probeReplica(context, replica, { port: 9, healthCheck })
    expect(probed).toEqual({ ready: true, reason: '' })
  })
})

describe('a type is refused', () => {
  const refused: [string, Partial<AppType>, string][] = [
    [
      'that runs nothing',
      continuous({ scaling: { replicas: () => 0, autoscales: false } }),
      'runs nothing when 1 containers',
    ],
    [
      'whose number cannot follow the load',
      continuous({ scaling: { replicas: () => 1, autoscales: true } }),
      'autoscales, and',
    ],
    ['that takes the name of another', { wireName: 'job' }, 'shares the name job with JOB'],
    [
      'that takes the preset of another',
      { presets: [{ kind: 'VERSIONED', name: 'POSTGRESQL', versions: ['99'] }] },
      'shares the name POSTGRESQL',
    ],
    ['that takes the log type of another', { logType: 'WEB_APP' }, 'shares the name WEB_APP with APP'],
    ['whose default preset is not its own', { defaultPreset: 'OTHER' }, 'has no preset OTHER'],
  ]
  test.each(refused)('%s', (_title, changed, problem) => {
    expect(() => assertComplete({ ...scratch, ...changed }, appTypes())).toThrow(problem)
  })

  test('only for a mistake', () => {
    expect(() => assertComplete({ ...scratch, ...continuous({}) }, appTypes())).not.toThrow()
  })
})

describe('a version of a preset', () => {
  test.each([
    ['EXPRESS', 'EXPRESS_NODE_JS_20', null],
    ['EXPRESS', 'EXPRESS_20', null],
    ['METEOR_JS', 'METEOR_JS_3_5', null],
    ['CUSTOM', 'CUSTOM_ANY', null],
    ['CUSTOM', 'EXPRESS_20', 'must be CUSTOM_<VERSION>, such as CUSTOM_22'],
    ['METEOR_JS', 'METEOR_JS_99', expect.stringContaining('must be one of METEOR_JS_2_16,')],
  ])('of %s: %s', (preset, version, problem) => {
    expect(versionProblem(preset, version)).toEqual(problem)
  })
})
