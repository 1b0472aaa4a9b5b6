import { createApp } from '../../src/services/app/create-app.ts'
import { createAppEnv } from '../../src/services/app-env/create-app-env.ts'
import { changeHealthcheck, changeScaling } from '../../src/services/app-env/setting-commands.ts'
import { updateAppEnv } from '../../src/services/app-env/update-app-env.ts'
import { deployImage } from '../../src/services/lifecycle/deploy-image.ts'
import type { World } from '../support/world.ts'
import { parityCase } from './parity-case.ts'

const app = { name: 'Hook', port: 80, dockerPreset: 'FUNCTION', useImage: false, image: undefined }
const INVALID = 'INVALID_INPUT'
const PLAN_LIMIT = 'FORBIDDEN PLAN_LIMIT'
const NOT_AVAILABLE = 'FORBIDDEN FUNCTIONS_NOT_AVAILABLE'

type Gate = (world: World) => Promise<unknown>

const plan: Gate = ({ database }) => database.plan.updateMany({ data: { functionsIncluded: false } })
const account: Gate = ({ database }) => database.account.updateMany({ data: { allowFunctions: false } })
/** A plan of two containers. */
const small: Gate = ({ database }) => database.plan.updateMany({ data: { maxContainers: 2 } })
const region: Gate = ({ database }) => database.region.updateMany({ data: { functionsSupported: false } })

const newApp = (title: string, expected: string, fields: object, close?: Gate) =>
  parityCase(`createApp of a function ${title}`, expected, async (world) => {
    await close?.(world)
    return {
      command: createApp,
      input: { name: 'Hook', accountId: world.accountId, port: 80, dockerPreset: 'FUNCTION', ...fields },
    }
  })

const newAppEnv = (title: string, expected: string, fields: object, close?: Gate) =>
  parityCase(`createAppEnv of a function ${title}`, expected, async (world) => {
    const appId = await world.app(app)
    await close?.(world)
    return {
      command: createAppEnv,
      input: { accountId: world.accountId, appId, name: 'live', region: 'local', ...fields },
    }
  })

/** Each bound of `functionConfig`, from just inside and from just outside. */
const BOUNDS = {
  minScale: [0, 20],
  maxScale: [1, 100],
  concurrency: [1, 10_000],
  idleSeconds: [1, 86_400],
  timeoutSeconds: [1, 3600],
}

const bounds = Object.entries(BOUNDS).flatMap(([field, [least = 0, most = 0]]) => {
  const with_ = (value: number) => ({
    functionConfig: { ...(field === 'minScale' ? { maxScale: 100 } : {}), [field]: value },
  })
  return [
    newAppEnv(`with the least ${field}`, 'accepted', with_(least)),
    newAppEnv(`with the largest ${field}`, 'accepted', with_(most)),
    newAppEnv(`with ${field} below its bound`, INVALID, with_(least - 1)),
    newAppEnv(`with ${field} above its bound`, INVALID, with_(most + 1)),
  ]
})

const onAppEnv = (world: World) => world.appEnv({ app })

/** What functions are refused, and what they alone may. */
export const functionCases = [
  newApp('on a plan without them', NOT_AVAILABLE, {}, plan),
  newApp('of an account without access', NOT_AVAILABLE, {}, account),
  newApp('without a port', INVALID, { port: undefined }),
  newAppEnv('on a plan without them', NOT_AVAILABLE, {}, plan),
  newAppEnv('of an account without access', NOT_AVAILABLE, {}, account),
  newAppEnv('in a region without them', NOT_AVAILABLE, {}, region),
  newAppEnv('with a volume', INVALID, { volume: { path: '/data', disk: 100 } }),
  newAppEnv('with minScale above maxScale', INVALID, { functionConfig: { minScale: 3, maxScale: 2 } }),
  ...bounds,
  newAppEnv('with as many containers as its plan allows', 'accepted', { functionConfig: { maxScale: 2 } }, small),
  newAppEnv('with more containers than its plan allows', PLAN_LIMIT, { functionConfig: { maxScale: 3 } }, small),
  parityCase('updateAppEnv of a function with more containers than its plan allows', PLAN_LIMIT, async (world) => {
    const { appEnvId } = await onAppEnv(world)
    await small(world)
    // Less than what is there goes on, also beyond a plan that has shrunk.
    return { command: updateAppEnv, input: { appEnvId, functionConfig: { maxScale: 4 } } }
  }),
  parityCase('updateAppEnv of a function with minScale above maxScale', INVALID, async (world) => {
    const { appEnvId } = await onAppEnv(world)
    return { command: updateAppEnv, input: { appEnvId, functionConfig: { minScale: 4 } } }
  }),
  parityCase('changeScaling of a function, whose requests decide', INVALID, async (world) => {
    const { appEnvId } = await onAppEnv(world)
    return { command: changeScaling, input: { appEnvId, containers: 2 } }
  }),
  newApp('that nothing asks', INVALID, { healthCheck: { type: 'NONE' } }),
  newApp('that a command asks', 'accepted', { healthCheck: { type: 'COMMAND', command: ['true'] } }),
  newAppEnv('that nothing asks', INVALID, { healthCheck: { type: 'NONE' } }),
  parityCase('changeHealthcheck of a function to NONE', INVALID, async (world) => {
    const { appEnvId } = await onAppEnv(world)
    return { command: changeHealthcheck, input: { appEnvId, type: 'NONE' } }
  }),
  parityCase('deployImage of a function that builds no image', 'accepted', async (world) => {
    const { appEnvId } = await onAppEnv(world)
    return { command: deployImage, input: { appEnvId, image: 'hook:1' } }
  }),
]
