import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { BuildPlan } from '../../src/domain/build-plan.ts'
import { updateApp } from '../../src/services/app/update-app.ts'
import { getAppEnvStatus } from '../../src/services/app-env/app-env-reads.ts'
import { updateAppEnv } from '../../src/services/app-env/update-app-env.ts'
import { applyChanges } from '../../src/services/lifecycle/apply-changes.ts'
import { buildAppEnv } from '../../src/services/lifecycle/build.ts'
import { redeployAppEnv } from '../../src/services/lifecycle/redeploy.ts'
import { createWorld, type World } from '../support/world.ts'

let world: World

beforeAll(async () => {
  world = await createWorld()
})

afterAll(() => world?.close())

const DOCKERFILE = { customDockerfileContent: 'FROM scratch' }
const SOURCE = { useImage: false, image: undefined, ...DOCKERFILE }

async function running(app: Record<string, unknown>, fields: Record<string, unknown> = {}) {
  const appEnv = await world.appEnv({ app, ...fields })
  if (app.useImage === false) await world.build(appEnv.appEnvId)
  else await world.deploy(appEnv.appEnvId)
  return appEnv
}

async function pendingIn(appEnvId: string): Promise<string[]> {
  const caller = await world.services.authenticate(world.adminToken)
  const { pendingChanges } = await world.services.respond(getAppEnvStatus, { caller, requestId: 'req_1' }, { appEnvId })
  return pendingChanges.changes.map(({ kind, field }) => `${kind} ${field}`)
}

/** Applies what is pending; returns the answer, and the new version. */
async function apply(appEnvId: string) {
  const { message, operationId } = await world.perform(applyChanges, { appEnvId })
  const operation = await world.database.operation.findUniqueOrThrow({
    where: { id: operationId ?? '' },
    include: { content: true },
  })
  return { message, operation, content: operation.content, plan: operation.content?.buildPlan as BuildPlan | null }
}

const variables = (...names: string[]) => names.map((name) => ({ name, value: `new ${name}`, type: 'BUILD' }))

describe('applying changes', () => {
  test('to a build’s input builds, with the current settings', async () => {
    const { appId, appEnvId } = await running(SOURCE)
    await world.perform(updateApp, { appId, buildArgs: 'A=1', port: 81 })
    expect(await pendingIn(appEnvId)).toEqual(['BUILD buildArgs', 'DEPLOY port'])
    const { message, operation, content, plan } = await apply(appEnvId)
    expect(message).toBe('Building and deploying the changes: buildArgs, port')
    expect(content).toMatchObject({ type: 'BUILD', imageDigest: null, configuration: { port: 81 } })
    expect(plan).toMatchObject({ buildArgs: 'A=1', isForced: false })
    await world.endOperation(operation.id)
    expect(await pendingIn(appEnvId)).toEqual([])
  })

  test('to a build variable stays pending until it is built', async () => {
    const { appEnvId } = await running(SOURCE)
    await world.perform(updateAppEnv, { appEnvId, envVars: variables('TOKEN') })
    await world.endOperation((await world.perform(redeployAppEnv, { appEnvId })).operationId)
    expect(await pendingIn(appEnvId)).toEqual(['BUILD envVars.TOKEN'])
    const { operation, plan } = await apply(appEnvId)
    expect(plan?.variables.map(({ name }) => name)).toEqual(['TOKEN'])
    await world.endOperation(operation.id)
    expect(await pendingIn(appEnvId)).toEqual([])
  })

  test('to a variable that a build variable refers to builds too', async () => {
    const host = (value: string) => ({ name: 'HOST', value, type: 'DEPLOY' })
    const url = { name: 'URL', value: `https://\${HOST}`, type: 'BUILD' }
    const { appEnvId } = await running(SOURCE, { envVars: [host('a'), url] })
    await world.perform(updateAppEnv, { appEnvId, envVars: [host('b'), url] })
    expect(await pendingIn(appEnvId)).toEqual(['BUILD envVars.HOST'])
  })

  test('that switch to the source builds it', async () => {
    const { appId, appEnvId } = await running({})
    await world.perform(updateApp, { appId, useImage: false, ...DOCKERFILE })
    expect(await pendingIn(appEnvId)).toEqual(['BUILD useImage'])
    expect((await apply(appEnvId)).content).toMatchObject({ type: 'BUILD', imageDigest: null })
  })

  test('that switch to an image deploys it, and builds nothing', async () => {
    const { appId, appEnvId } = await running(SOURCE)
    await world.perform(updateApp, { appId, useImage: true, image: 'nginx:2', buildArgs: 'A=1' })
    expect(await pendingIn(appEnvId)).toEqual(['DEPLOY useImage', 'DEPLOY image'])
    const { content, operation } = await apply(appEnvId)
    expect(content).toMatchObject({ type: 'IMAGE_FROM', image: 'nginx:2', buildPlan: null })
    await world.endOperation(operation.id)
    expect(await pendingIn(appEnvId)).toEqual([])
  })

  test('that switch to an image and back before they are applied does nothing', async () => {
    const { appId, appEnvId } = await running(SOURCE)
    await world.perform(updateApp, { appId, useImage: true, image: 'nginx:2' })
    await world.perform(updateApp, { appId, useImage: false })
    expect(await pendingIn(appEnvId)).toEqual([])
  })

  test('is refused without an image, or a source, to switch to', async () => {
    const built = await running(SOURCE)
    await world.perform(updateApp, { appId: built.appId, useImage: true })
    await expect(apply(built.appEnvId)).rejects.toMatchObject({ code: 'CONFLICT', reason: 'IMAGE_NOT_SET' })
    const imaged = await running({})
    await world.perform(updateApp, { appId: imaged.appId, useImage: false })
    await expect(apply(imaged.appEnvId)).rejects.toMatchObject({ code: 'CONFLICT', reason: 'SOURCE_NOT_CONFIGURED' })
  })

  test('at once reports where it was not possible, and changes the app all the same', async () => {
    const { appId, appEnvId } = await running({})
    const answer = await world.perform(updateApp, { appId, useImage: false, applyImmediately: true })
    expect(answer).toMatchObject({
      environmentsAffected: 1,
      notApplied: [{ appEnvId, reason: expect.stringContaining('no source to build from') }],
    })
    expect(await pendingIn(appEnvId)).toEqual(['BUILD useImage'])
  })

  test('during a build continues the build, with the current configuration', async () => {
    const { appId, appEnvId } = await running(SOURCE)
    await world.perform(buildAppEnv, { appEnvId, forceNewBuild: true })
    await world.perform(updateApp, { appId, port: 82 })
    const { content, plan } = await apply(appEnvId)
    expect(content).toMatchObject({ type: 'BUILD', imageDigest: null, configuration: { port: 82 } })
    expect(plan).toMatchObject({ isForced: true })
  })

  test('to the number of containers alone creates no version', async () => {
    const { appEnvId } = await running(SOURCE)
    await world.database.appEnv.update({ where: { id: appEnvId }, data: { containers: 3 } })
    const { message, content } = await apply(appEnvId)
    expect([message, content]).toEqual(['Scaling: containers', null])
  })
})
