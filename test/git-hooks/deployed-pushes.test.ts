import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { removeMember, updateMember } from '../../src/services/account/member-commands.ts'
import { updateApp } from '../../src/services/app/update-app.ts'
import { setAutoDeploy } from '../../src/services/auto-deploy/auto-deploy-commands.ts'
import { stopAppEnv } from '../../src/services/lifecycle/stop.ts'
import { commitId, payloadOf, sentBy } from '../support/git-hosts.ts'
import { createGitHookWorld, type GitHookWorld } from './git-hook-world.ts'

const [A, B, C, D] = [commitId('a'), commitId('b'), commitId('c'), commitId('d')]

let world: GitHookWorld

beforeAll(async () => {
  world = await createGitHookWorld()
})
afterAll(() => world?.close())

describe('order', () => {
  test('a push that arrives late, or is sent again later, does not go back', async () => {
    const url = world.repository()
    const hook = await world.hook('GITHUB')
    const appEnvId = await world.built({ gitRepo: url })
    await world.push(hook, { url, before: B, after: C })
    const late = await world.push(hook, { url, before: A, after: B })
    expect(late.body.deliveries).toMatchObject([{ outcome: 'IGNORED', reason: 'OUT_OF_ORDER' }])
    expect(await world.commitsOf(appEnvId)).toEqual([C])
  })

  test('a branch that goes back on purpose does', async () => {
    const url = world.repository()
    const hook = await world.hook('GITEA')
    const appEnvId = await world.built({ gitRepo: url })
    for (const [before, after] of [
      [A, B],
      [B, A],
      [A, B],
    ] as const)
      await world.push(hook, { url, before, after })
    expect(await world.commitsOf(appEnvId)).toEqual([B, A, B])
  })

  test('two hooks that tell of one push deploy it once', async () => {
    const url = world.repository()
    const [one, other] = [await world.hook('GITHUB'), await world.hook('GITHUB')]
    const appEnvId = await world.built({ gitRepo: url })
    await world.push(one, { url, after: A })
    const { body } = await world.push(other, { url, after: A })
    expect(body.deliveries).toMatchObject([{ outcome: 'IGNORED', reason: 'ALREADY_DEPLOYED' }])
    expect(await world.commitsOf(appEnvId)).toEqual([A])
  })

  test('one delivery, sent many times at once, is deployed once', async () => {
    const url = world.repository()
    const hook = await world.hook('GITHUB')
    const appEnvId = await world.built({ gitRepo: url })
    const sent = sentBy('GITHUB', hook.secret, payloadOf('GITHUB', { url, after: A }))
    const answers = await Promise.all(Array.from({ length: 6 }, () => world.send(hook.path, sent)))
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 200])
    expect(await world.operationsOf(appEnvId)).toHaveLength(1)
  })

  test('what was in the way is mended, and the host sends it again', async () => {
    const url = world.repository()
    const hook = await world.hook('GITHUB')
    const done = await world.built({ gitRepo: url })
    const appEnvId = await world.built({ gitRepo: url, watchPaths: ['docs'] })
    const sent = sentBy('GITHUB', hook.secret, payloadOf('GITHUB', { url, after: A }))
    await world.send(hook.path, sent)
    expect(await world.commitsOf(appEnvId)).toEqual([])
    await world.perform(setAutoDeploy, { appEnvId })
    await world.send(hook.path, sent)
    expect([await world.commitsOf(done), await world.commitsOf(appEnvId)]).toEqual([[A], [A]])
  })
})

describe('whose rights', () => {
  test('pushes stop with the rights of whoever turned auto-deploy on, and say so', async () => {
    const url = world.repository()
    const hook = await world.hook('GITHUB')
    const { userId, token } = await world.user()
    const appEnvId = await world.built({ gitRepo: url, as: token })
    await world.push(hook, { url, before: commitId('1'), after: A })
    await world.perform(updateMember, { accountId: world.accountId, userId, roles: ['BILLING'] })
    const { body } = await world.push(hook, { url, before: A, after: B })
    expect(body.deliveries).toMatchObject([{ outcome: 'IGNORED', reason: 'RIGHTS_LOST' }])
    expect((await world.newest()).message).toContain(userId)
    await world.perform(removeMember, { accountId: world.accountId, userId })
    await world.push(hook, { url, before: B, after: C })
    expect(await world.newest()).toMatchObject({ outcome: 'IGNORED', reason: 'RIGHTS_LOST' })
    await world.perform(setAutoDeploy, { appEnvId })
    await world.push(hook, { url, before: C, after: D })
    expect(await world.commitsOf(appEnvId)).toEqual([A, D])
  })

  test('a member who is restricted to other environments lends nothing there', async () => {
    const url = world.repository()
    const hook = await world.hook('GITHUB')
    const { userId, token } = await world.user()
    const appEnvId = await world.built({ gitRepo: url, as: token })
    await world.perform(updateMember, { accountId: world.accountId, userId, appEnvIds: [] })
    await world.push(hook, { url, after: A })
    expect(await world.newest()).toMatchObject({ reason: 'RIGHTS_LOST' })
    expect(await world.commitsOf(appEnvId)).toEqual([])
  })
})

describe('environments that a push concerns and does not deploy', () => {
  test('a stopped one stays stopped, and an app that runs images by now is not concerned', async () => {
    const url = world.repository()
    const hook = await world.hook('GITHUB')
    const stopped = await world.built({ gitRepo: url })
    await world.push(hook, { url, before: commitId('1'), after: A })
    const [operation] = await world.operationsOf(stopped)
    await world.endOperation(operation?.id ?? '')
    const { operationId } = await world.perform(stopAppEnv, { appEnvId: stopped })
    await world.endOperation(operationId)
    const images = await world.built({ gitRepo: url })
    const { appId } = await world.database.appEnv.findUniqueOrThrow({ where: { id: images } })
    await world.perform(updateApp, { appId, useImage: true, image: 'nginx:1' })
    const { body } = await world.push(hook, { url, before: A, after: B })
    expect(body.deliveries).toMatchObject([{ outcome: 'IGNORED', reason: 'ENVIRONMENT_STOPPED' }])
    expect([await world.commitsOf(stopped), await world.commitsOf(images)]).toEqual([[A], []])
  })

  test('a hook of one app concerns no other app of the same repository', async () => {
    const url = world.repository()
    const mine = await world.built({ gitRepo: url })
    const other = await world.built({ gitRepo: url })
    const { appId } = await world.database.appEnv.findUniqueOrThrow({ where: { id: mine } })
    const hook = await world.hook('GITHUB', { appId })
    await world.push(hook, { url, after: A })
    expect([await world.commitsOf(mine), await world.commitsOf(other)]).toEqual([[A], []])
  })
})
