import { afterAll, beforeAll, expect, test } from 'vitest'
import { DomainError } from '../../src/domain/errors.ts'
import { createApp } from '../../src/services/app/create-app.ts'
import { updateApp } from '../../src/services/app/update-app.ts'
import { connectGitInstallation } from '../../src/services/git/connect-git-installation.ts'
import { assertOwnInstallation } from '../../src/worker/builds/build.ts'
import { startGitHubUsers } from '../support/github-users.ts'
import { createWorld, type World } from '../support/world.ts'

let world: World
let gitHub: Awaited<ReturnType<typeof startGitHubUsers>>

beforeAll(async () => {
  gitHub = await startGitHubUsers()
  world = await createWorld({ settings: gitHub.settings })
})

afterAll(async () => {
  await world?.close()
  gitHub?.close()
})

const outcome = (call: Promise<unknown>) =>
  call.then(
    () => 'accepted',
    (error) => (error instanceof DomainError ? (error.reason ?? error.message) : String(error)),
  )

async function tenant() {
  const accountId = await world.account()
  const { token: as } = await world.user({ accountId })
  const git = { port: 1, gitProvider: 'GITHUB', gitNamespace: 'acme', gitRepo: 'shop' }
  return {
    accountId,
    create: (gitInstallationId: string) =>
      outcome(world.perform(createApp, { name: 'shop', accountId, ...git, gitInstallationId }, { as })),
    async change(gitInstallationId: string) {
      const { appId } = await world.perform(createApp, { name: 'shop', accountId, port: 1, useImage: true, image: 'a' })
      return outcome(world.perform(updateApp, { appId, ...git, port: 2, gitInstallationId }, { as }))
    },
    connect: (gitInstallationId: string, proof: object) =>
      outcome(world.perform(connectGitInstallation, { accountId, gitInstallationId, proof }, { as })),
  }
}

test('an installation is named only by accounts that have proved to own it, whoever names it first', async () => {
  const [mallory, ada] = [await tenant(), await tenant()]
  expect(await mallory.create('77')).toBe('GIT_INSTALLATION_UNPROVED')
  expect(await ada.connect('77', { userToken: 'token-of-ada' })).toBe('accepted')
  expect(await ada.create('77')).toBe('accepted')
  expect(await ada.change('77')).toBe('accepted')
  expect(await mallory.create('77')).toBe('GIT_INSTALLATION_UNPROVED')
  expect(await mallory.change('77')).toBe('GIT_INSTALLATION_UNPROVED')
})

test('a code is a proof, once', async () => {
  const ada = await tenant()
  expect(await ada.connect('78', { code: 'code-of-ada' })).toBe('accepted')
  expect(await ada.create('78')).toBe('accepted')
  expect(await ada.connect('78', { code: 'code-of-ada' })).toMatch(/^proof.code: is not accepted by GitHub/)
})

test('a proof is one of two, and not both', async () => {
  const ada = await tenant()
  expect(await ada.connect('77', {})).toBe('proof.code: is required, unless userToken is sent')
  expect(await ada.connect('77', { code: 'code-of-ada', userToken: 'token-of-ada' })).toBe(
    'proof.userToken: is not sent together with code: send one of them',
  )
})

test('who only sees an installation, or names one that is not there, does not own it', async () => {
  const bob = await tenant()
  for (const installation of ['77', '78', '79'])
    expect(await bob.connect(installation, { userToken: 'token-of-bob' })).toBe('GIT_INSTALLATION_NOT_OWNED')
  expect(await bob.connect('77', { userToken: 'made-up' })).toBe('proof.userToken: is not accepted by GitHub')
  expect(await bob.create('77')).toBe('GIT_INSTALLATION_UNPROVED')
})

test('a build does not use an installation that the account has not proved', async () => {
  const { accountId } = await tenant()
  const attempt = { ...world, appEnv: { accountId } } as unknown as Parameters<typeof assertOwnInstallation>[0]
  const source = { kind: 'git', url: `${gitHub.url}/acme/shop.git`, branch: null, commit: null } as const
  await expect(assertOwnInstallation(attempt, { ...source, installationId: '77' })).rejects.toMatchObject({
    reason: 'SOURCE_REFUSED',
  })
  await assertOwnInstallation(attempt, { ...source, installationId: null })
})

test('the admin of the installation vouches for an account by naming the number', async () => {
  const { accountId, create } = await tenant()
  const git = { port: 1, gitProvider: 'GITHUB', gitNamespace: 'acme', gitRepo: 'shop', gitInstallationId: '80' }
  await world.perform(createApp, { name: 'shop', accountId, ...git })
  expect(await create('80')).toBe('accepted')
})
