import type { AnyCommand } from '../../src/calls/command.ts'
import { createApp } from '../../src/services/app/create-app.ts'
import {
  changeBranch,
  changeHealthcheck,
  changeResources,
  changeScaling,
  renameAppEnv,
} from '../../src/services/app-env/setting-commands.ts'
import { updateAppEnv } from '../../src/services/app-env/update-app-env.ts'
import { changeVariables, deleteVariable, setVariables } from '../../src/services/app-env/variable-commands.ts'
import { clearBuildCache } from '../../src/services/build-cache/clear-build-cache.ts'
import { addHost, removeHost, validateHost } from '../../src/services/host/host-commands.ts'
import { deleteVolume } from '../../src/services/volume/delete-volume.ts'
import type { World } from '../support/world.ts'
import { type ParityCase, parityCase } from './parity-case.ts'

type Fields = Record<string, unknown>

const OFFICE = { enabled: true, allowedCidrs: ['203.0.113.0/24'], maxConnections: 7 }

/** A change of how a managed service that had external access is reached from outside. */
const onService = (title: string, expected: string, externalAccess: unknown) =>
  parityCase(`updateAppEnv ${title}`, expected, async (world) => {
    const { accountId } = world
    const { appId } = await world.perform(createApp, { accountId, name: 'Cache', appType: 'db', dockerPreset: 'REDIS' })
    const allowed = { enabled: externalAccess === null, allowedCidrs: externalAccess === null ? ['10.0.0.1'] : [] }
    const { appEnvId } = await world.appEnv({ accountId, appId, externalAccess: allowed })
    return { command: updateAppEnv, input: { appEnvId, externalAccess } }
  })

/** A call on a deployed environment with the variables HOST and the secret KEY, and a volume. */
const onAppEnv = (command: AnyCommand, title: string, expected: string, input: Fields): ParityCase =>
  parityCase(`${command.name} ${title}`, expected, async (world) => ({
    command,
    input: { appEnvId: await deployed(world), ...input },
  }))

const envVars = [
  { name: 'HOST', value: 'shop.test' },
  { name: 'URL', value: `http://\${HOST}` },
  { name: 'KEY', value: 'hush', isSecret: true },
]

async function deployed(world: World): Promise<string> {
  const volume = { path: '/data', disk: 100 }
  const { appEnvId } = await world.appEnv({ app: { name: 'Shop' }, envVars, volume })
  await world.deploy(appEnvId)
  return appEnvId
}

const probe = { path: '/live', periodSeconds: 5 }
const INVALID = 'INVALID_INPUT'

const sizes = [
  onAppEnv(changeResources, 'in zClouds', 'accepted', { zClouds: 2 }),
  onAppEnv(changeResources, 'in cpu and memory, at once', 'accepted', {
    cpu: 0.5,
    memory: 256,
    applyImmediately: true,
  }),
  onAppEnv(changeResources, 'of the volume', 'accepted', { disk: 200 }),
  onAppEnv(changeResources, 'with cpu alone', INVALID, { cpu: 1 }),
  onAppEnv(changeResources, 'both ways', INVALID, { zClouds: 1, cpu: 1, memory: 512 }),
  onAppEnv(changeResources, 'to nothing', INVALID, {}),
  onAppEnv(changeScaling, 'to two', 'accepted', { containers: 2 }),
  onAppEnv(changeScaling, 'by the load', 'accepted', { autoScaling: { max: 4, cpuPercent: 50 } }),
  onAppEnv(changeScaling, 'by the load no more', 'accepted', { autoScaling: null }),
  onAppEnv(changeScaling, 'with min above max', INVALID, { autoScaling: { min: 4, max: 2 } }),
  onAppEnv(changeScaling, 'beyond the plan', 'FORBIDDEN PLAN_LIMIT', { containers: 100_000 }),
]

const others = [
  onAppEnv(changeBranch, 'to another', 'accepted', { gitBranch: 'feature/checkout' }),
  onAppEnv(changeBranch, 'to an option', INVALID, { gitBranch: '--upload-pack=x' }),
  onAppEnv(changeHealthcheck, 'with every probe', 'accepted', { readiness: probe, liveness: probe, startup: probe }),
  onAppEnv(changeHealthcheck, 'of its own path', 'accepted', { path: '/ok', port: 9000, headers: { 'X-A': '1' } }),
  onAppEnv(changeHealthcheck, 'to no path', INVALID, { path: 'ok' }),
  onAppEnv(changeHealthcheck, 'to nothing', INVALID, {}),
  onAppEnv(changeHealthcheck, 'to NONE', 'accepted', { type: 'NONE', initialDelaySeconds: 2 }),
  onAppEnv(changeHealthcheck, 'to NONE, at once', 'accepted', { type: 'NONE', applyImmediately: true }),
  onAppEnv(changeHealthcheck, 'to a command', 'accepted', {
    type: 'COMMAND',
    command: ['node', 'check.js'],
    initialDelaySeconds: 1,
    periodSeconds: 2,
    timeoutSeconds: 3,
    failureThreshold: 4,
    liveness: { command: ['true'] },
  }),
  onAppEnv(changeHealthcheck, 'to NONE with a path', INVALID, { type: 'NONE', path: '/ok' }),
  onAppEnv(changeHealthcheck, 'to NONE with a probe over the network', INVALID, { type: 'NONE', liveness: probe }),
  onAppEnv(changeHealthcheck, 'to a command that is not there', INVALID, { type: 'COMMAND' }),
  parityCase('changeHealthcheck to NONE beside a custom host', 'CONFLICT HAS_HOSTS', async (world) => {
    const appEnvId = await deployed(world)
    await world.perform(addHost, { appEnvId, host: 'shop.example.com' })
    return { command: changeHealthcheck, input: { appEnvId, type: 'NONE' } }
  }),
  parityCase('addHost to a worker', 'CONFLICT NOT_ROUTED', async (world) => {
    const appEnvId = await deployed(world)
    await world.perform(changeHealthcheck, { appEnvId, type: 'NONE' })
    return { command: addHost, input: { appEnvId, host: 'shop.example.com' } }
  }),
  onAppEnv(updateAppEnv, 'with a health check of its own', 'accepted', { healthCheck: { type: 'NONE' } }),
  onAppEnv(updateAppEnv, 'with a health check that contradicts itself', INVALID, {
    healthCheck: { type: 'TCP', path: '/ok' },
  }),
  onAppEnv(renameAppEnv, 'to another name', 'accepted', { name: 'Main' }),
  parityCase('renameAppEnv to a name that is taken', 'CONFLICT NAME_TAKEN', async (world) => {
    const { appId } = await world.appEnv({ app: { name: 'Shop' } })
    const { appEnvId } = await world.appEnv({ appId, name: 'beta' })
    return { command: renameAppEnv, input: { appEnvId, name: 'production' } }
  }),
  onAppEnv(updateAppEnv, 'without its volume', 'accepted', { volume: null }),
  onAppEnv(updateAppEnv, 'with a volume at no path', INVALID, { volume: { path: 'data', disk: 1 } }),
  onAppEnv(updateAppEnv, 'with a volume over /proc', INVALID, { volume: { path: '/proc/x', disk: 1 } }),
  onAppEnv(updateAppEnv, 'with external access to an app that has hosts', INVALID, { externalAccess: OFFICE }),
  onService('with external access', 'accepted', OFFICE),
  onService('with external access for nobody', INVALID, { enabled: true }),
  onService('with external access for what is no range', INVALID, { enabled: true, allowedCidrs: ['10.0.0.1/8'] }),
  onService('without external access', 'accepted', null),
  onAppEnv(updateAppEnv, 'with a circle of variables', INVALID, { envVars: [{ name: 'A', value: `\${A}` }] }),
]

const variables = [
  onAppEnv(setVariables, 'to others', 'accepted', { variables: [{ name: 'A', value: '1' }] }),
  onAppEnv(setVariables, 'to none', 'accepted', { variables: [] }),
  onAppEnv(setVariables, 'that refer to nothing', INVALID, { variables: [{ name: 'A', value: `\${NOBODY}` }] }),
  onAppEnv(changeVariables, 'by one more', 'accepted', { variables: [{ name: 'A', value: '1', type: 'BOTH' }] }),
  onAppEnv(changeVariables, 'by a type', 'accepted', { variables: [{ name: 'KEY', type: 'BUILD' }] }),
  onAppEnv(changeVariables, 'by one without a value', INVALID, { variables: [{ name: 'A' }] }),
  onAppEnv(changeVariables, 'so that a secret would show', INVALID, { variables: [{ name: 'KEY', isSecret: false }] }),
  onAppEnv(deleteVariable, 'that nothing refers to', 'accepted', { name: 'URL' }),
  onAppEnv(deleteVariable, 'that another refers to', INVALID, { name: 'HOST' }),
  onAppEnv(deleteVariable, 'that is not there', 'NOT_FOUND', { name: 'NOBODY' }),
  parityCase('setVariables by a reader', 'FORBIDDEN ROLE_MISSING', async (world) => ({
    command: setVariables,
    input: { appEnvId: await deployed(world), variables: [] },
    token: (await world.user({ roles: ['AUDIT'] })).token,
  })),
]

const volumeOf = async (world: World, appEnvId: string) =>
  (await world.database.appEnv.findUniqueOrThrow({ where: { id: appEnvId } })).volumeId

const volumes = [
  parityCase('deleteVolume that no environment has', 'accepted', async (world) => {
    const { appEnvId } = await world.appEnv({ app: { name: 'Shop' }, volume: { path: '/data', disk: 1 } })
    const volumeId = await volumeOf(world, appEnvId)
    await world.perform(updateAppEnv, { appEnvId, volume: null })
    return { command: deleteVolume, input: { volumeId } }
  }),
  parityCase('deleteVolume that an environment has', 'CONFLICT VOLUME_IN_USE', async (world) => ({
    command: deleteVolume,
    input: { volumeId: await volumeOf(world, await deployed(world)) },
  })),
  parityCase('deleteVolume that is not there', 'NOT_FOUND', async () => ({
    command: deleteVolume,
    input: { volumeId: 'vol_01h455vb4pex5vsknk084sn02q' },
  })),
]

const caches = [
  parityCase('clearBuildCache', 'accepted', async (world) => ({
    command: clearBuildCache,
    input: { appEnvId: (await world.appEnv({ app: { name: 'Shop' } })).appEnvId },
  })),
  parityCase('clearBuildCache of an unknown environment', 'NOT_FOUND', async () => ({
    command: clearBuildCache,
    input: { appEnvId: 'env_01h455vb4pex5vsknk084sn02q' },
  })),
  parityCase('clearBuildCache of none', 'INVALID_INPUT', async () => ({ command: clearBuildCache, input: {} })),
  parityCase('clearBuildCache by a reader', 'FORBIDDEN ROLE_MISSING', async (world) => ({
    command: clearBuildCache,
    input: { appEnvId: (await world.appEnv({ app: { name: 'Shop' } })).appEnvId },
    token: (await world.user({ roles: ['AUDIT'] })).token,
  })),
]

const custom = (title: string, expected: string, command: AnyCommand, input: Fields): ParityCase =>
  parityCase(title, expected, async (world) => {
    const { appEnvId } = await world.appEnv({ app: { name: 'Shop' } })
    await world.perform(addHost, { appEnvId, host: 'shop.example.com' })
    return { command, input: { appEnvId, ...input } }
  })

const hosts = [
  custom('addHost', 'accepted', addHost, { host: 'www.example.com' }),
  custom('addHost that is taken', 'CONFLICT HOST_TAKEN', addHost, { host: 'SHOP.example.com' }),
  custom('addHost that is no name', INVALID, addHost, { host: '10.0.0.1' }),
  custom('validateHost', 'accepted', validateHost, { host: 'shop.example.com' }),
  custom('validateHost of none', INVALID, validateHost, {}),
  custom('validateHost that is not there', 'NOT_FOUND', validateHost, { host: 'www.example.com' }),
  custom('removeHost', 'accepted', removeHost, { host: 'shop.example.com' }),
  custom('removeHost that came with the environment', 'CONFLICT HOST_AUTOMATIC', removeHost, {
    host: 'default-shop-production.berth.localhost',
  }),
]

export const settingCases = [...sizes, ...others, ...variables, ...volumes, ...caches, ...hosts]
