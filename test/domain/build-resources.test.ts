import { describe, expect, test } from 'vitest'
import {
  buildLimitsFor,
  buildResourcesOf,
  changedBuildResources,
  maxBuildLimits,
} from '../../src/domain/build-resources.ts'

const SETTINGS = { BERTH_BUILD_Z_CLOUDS: 4, BERTH_BUILD_DISK_MB: 10_240, BERTH_BUILD_TIMEOUT_SECONDS: 1200 }
const INSTALLATION = { cpu: 4, memoryMb: 2048, diskMb: 10_240, timeoutSeconds: 1200 }
const NOTHING = { buildResources: null }
const PLAN = { buildResources: { memoryMb: 1024 }, maxBuildResources: { memoryMb: 4096, timeoutSeconds: 600 } }

const planOf = (buildResources: object | null, maxBuildResources: object | null) => ({
  buildResources,
  maxBuildResources,
})

test.each([
  ['that nobody limits are those of the installation', NOTHING, planOf(null, null), INSTALLATION],
  ['of a plan go before the installation’s', NOTHING, PLAN, { ...INSTALLATION, memoryMb: 1024, timeoutSeconds: 600 }],
  [
    'of an app go before the plan’s',
    { buildResources: { memoryMb: 3000, cpu: 1 } },
    PLAN,
    { ...INSTALLATION, memoryMb: 3000, cpu: 1, timeoutSeconds: 600 },
  ],
  [
    'of an app are never more than the plan allows today',
    { buildResources: { memoryMb: 9000, diskMb: 20_000 } },
    PLAN,
    { ...INSTALLATION, memoryMb: 4096, timeoutSeconds: 600 },
  ],
])('limits of builds %s', (_title, app, plan, limits) => {
  expect(buildLimitsFor(app, plan, SETTINGS)).toEqual(limits)
})

test('the most that a plan allows is what builds have by default, where it does not say', () => {
  expect(maxBuildLimits(planOf(null, null), SETTINGS)).toEqual(INSTALLATION)
  expect(maxBuildLimits(planOf({ memoryMb: 8192 }, null), SETTINGS)).toEqual({ ...INSTALLATION, memoryMb: 8192 })
  expect(maxBuildLimits(PLAN, SETTINGS)).toEqual({ ...INSTALLATION, memoryMb: 4096, timeoutSeconds: 600 })
})

describe('a change', () => {
  const present = { cpu: 2, memoryMb: 512 }

  test.each([
    ['leaves alone what it does not send', { diskMb: 1000 }, { ...present, diskMb: 1000 }],
    ['takes away what is null', { cpu: null }, { memoryMb: 512 }],
    ['takes away everything by null', null, null],
    ['that takes away the last value leaves nothing', { cpu: null, memoryMb: null }, null],
  ])('%s', (_title, sent, after) => {
    expect(changedBuildResources(present, sent)).toEqual(after)
  })

  test('shows as null what is not set', () => {
    expect(buildResourcesOf(present)).toEqual({ ...present, diskMb: null, timeoutSeconds: null })
  })
})
