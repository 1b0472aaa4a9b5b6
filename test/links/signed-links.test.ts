import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { newId } from '../../src/domain/ids.ts'
import { removeMember, updateMember } from '../../src/services/account/member-commands.ts'
import { deleteAppEnv } from '../../src/services/app-env/delete-app-env.ts'
import { downloadBackup } from '../../src/services/backup/download-backup.ts'
import { getLogsDownload } from '../../src/services/log/download-logs.ts'
import { beginSession, endSessions } from '../../src/services/session/begin-session.ts'
import { revokeToken } from '../../src/services/token/token-commands.ts'
import { requestStorageKey } from '../../src/services/upload/request-storage-key.ts'
import { sourceFiles } from '../structure/source-files.ts'
import { serveRest } from '../support/rest.ts'
import { createWorld, type World } from '../support/world.ts'

let world: World
let api: ReturnType<typeof serveRest>['api']

beforeAll(async () => {
  world = await createWorld({ settings: { BERTH_ANONYMOUS_RATE_LIMIT: '100000' } })
  api = serveRest(world).api
})
afterAll(() => world?.close())

/** Where a link is about, and the member of the account who asks for it. */
interface Maker {
  accountId: string
  appEnvId: string
  userId: string
  tokenId: string
  token: string
}

interface Link {
  /** Answers the address, asked for by the maker. */
  make(maker: Maker): Promise<string>
  use(address: string): Promise<Response>
  /** What does not end it, with the reason. */
  outlives?: Readonly<Record<string, string>>
}

const pathOf = (address: string) => address.slice(new URL(address).origin.length)

/** Links that do what a permission allows, by their address alone. */
const LINKS: Readonly<Record<string, Link>> = {
  'download of a backup': {
    async make({ accountId, appEnvId, token }) {
      const { cliEnvName } = await world.database.appEnv.findUniqueOrThrow({ where: { id: appEnvId } })
      const [id, operationId] = [newId('bak'), newId('op')]
      const { dataKey } = await world.database.account.findUniqueOrThrow({ where: { id: accountId } })
      const sealedKey = world.vault.forAccount({ id: accountId, dataKey }).sealBackupKey(id, Buffer.alloc(32, 1))
      const about = { id, accountId, appEnvId, cliEnvName, presetVersion: 'POSTGRESQL_18', operationId, sealedKey }
      await world.database.backup.create({
        data: { ...about, kind: 'MANUAL', status: 'AVAILABLE', file: `${id}.1`, sizeBytes: 1000n },
      })
      return (await world.perform(downloadBackup, { backupKey: id }, { as: token })).downloadUrl
    },
    use: async (address) => {
      const answer = await api.request(pathOf(address))
      await answer.body?.cancel()
      return answer
    },
  },
  'file of log lines': {
    async make({ appEnvId, token }) {
      const { database, config, vault } = world
      const caller = await world.services.authenticate(token)
      const context = { database, config, vault, caller, requestId: 'req_links' }
      return (await world.services.find(getLogsDownload, context, { appEnvId } as never)).url
    },
    use: async (address) => {
      const answer = await api.request(pathOf(address))
      await answer.body?.cancel()
      return answer
    },
    outlives: { 'the member loses the role': 'any member may watch' },
  },
  'upload of an archive': {
    make: async ({ appEnvId, token }) =>
      (await world.perform(requestStorageKey, { appEnvId }, { as: token })).uploadUrl,
    use: async (address) => api.request(pathOf(address), { method: 'PUT', body: 'an archive' }),
  },
}

/** Everything that takes away what the maker of a link had. */
const ENDS: Readonly<Record<string, (maker: Maker) => Promise<unknown>>> = {
  'the token is revoked': ({ tokenId }) => world.perform(revokeToken, { tokenId }),
  'the token has ended': ({ tokenId }) =>
    world.database.$executeRaw`UPDATE token SET expires_at = now() WHERE id = ${tokenId}`,
  'the token is gone': ({ tokenId }) => world.database.token.delete({ where: { id: tokenId } }),
  'the member is removed': ({ accountId, userId }) => world.perform(removeMember, { accountId, userId }),
  'the member loses the role': ({ accountId, userId }) =>
    world.perform(updateMember, { accountId, userId, roles: ['AUDIT'] }),
  'the member is restricted to another environment': async ({ accountId, userId }) => {
    const other = await world.appEnv({ accountId })
    await world.perform(updateMember, { accountId, userId, appEnvIds: [String(other.appEnvId)] })
  },
  'the user is gone': async ({ userId }) => {
    await world.database.token.deleteMany({ where: { userId } })
    await world.database.membership.deleteMany({ where: { userId } })
    await world.database.user.delete({ where: { id: userId } })
  },
  'the environment is deleted': ({ appEnvId }) => world.perform(deleteAppEnv, { appEnvId }),
}

async function maker(): Promise<Maker> {
  const accountId = await world.account()
  const app = { useImage: false, image: undefined, isCliDeployment: true, accountId }
  const { appEnvId } = await world.appEnv({ accountId, app })
  return { accountId, appEnvId: String(appEnvId), ...(await world.user({ roles: ['ADMIN'], accountId })) }
}

test('a link ends with the token, the user and the permission that made it', async () => {
  const wrong: string[] = []
  let cells = 0
  for (const [what, { make, use, outlives = {} }] of Object.entries(LINKS))
    for (const [why, end] of Object.entries(ENDS)) {
      if (Object.hasOwn(outlives, why)) continue
      cells += 1
      const by = await maker()
      const address = await make(by)
      await end(by)
      const { status } = await use(address)
      if (status < 400) wrong.push(`${what} when ${why}: ${status}`)
    }
  console.info(`links: ${cells} cells`)
  expect(wrong).toEqual([])
})

test.each(Object.entries(LINKS))('a link for the %s works while its maker may still do it', async (_what, link) => {
  const by = await maker()
  expect((await link.use(await link.make(by))).status).toBe(200)
  // What happens to another member is nothing to it.
  const address = await link.make(by)
  const { userId } = await world.user({ roles: ['ADMIN'], accountId: by.accountId })
  await world.perform(removeMember, { accountId: by.accountId, userId })
  expect((await link.use(address)).status).toBe(200)
})

test.each(Object.entries(LINKS))('a link for the %s ends when its session is signed out of', async (_what, link) => {
  const by = await maker()
  const from = { requestId: 'req_links', address: '127.0.0.1', userAgent: '' }
  const session = await world.database.$transaction((tx) =>
    beginSession(tx, world, { userId: by.userId, method: 'PASSWORD' }, from),
  )
  const address = await link.make({ ...by, token: session.secret })
  await world.database.$transaction((tx) => endSessions(tx, { userId: by.userId }))
  expect((await link.use(address)).status).toBeGreaterThanOrEqual(400)
})

test('the parts of a download’s address are bound to each other', async () => {
  const [by, other] = [await maker(), await maker()]
  const [address, another] = [
    await LINKS['download of a backup']?.make(by),
    await LINKS['download of a backup']?.make(other),
  ]
  const parts = [...new URL(address ?? '').searchParams.keys()]
  for (const part of parts) {
    const url = new URL(address ?? '')
    url.searchParams.set(part, new URL(another ?? '').searchParams.get(part) ?? '')
    if (url.href === address) continue
    expect((await api.request(pathOf(url.href))).status, part).toBe(404)
  }
})

/** Modules whose addresses are the authorization, and where it is shown that these end with their maker. */
const MADE_BY: Readonly<Record<string, string>> = {
  'src/services/account/invitation-commands.ts': 'test/services/invitations.test.ts',
  'src/services/backup/download-backup.ts': 'here',
  'src/services/git-hook/git-hook-fields.ts': 'has an example of one, whose pushes are signed',
  'src/services/links/signed-link.ts': 'signs what the others put into addresses',
  'src/services/log/download-logs.ts': 'here',
  'src/services/remote-session/open-remote-session.ts':
    'has a ticket that is used once, and is no signature: test/api/remote-sessions',
  'src/services/services.ts': 'signs cookies of OAuth',
  'src/services/sign-in/reset-password.ts': 'test/api/sign-in/passwords.test.ts',
  'src/services/upload/request-storage-key.ts': 'here',
}

test('every module that makes such an address is known', () => {
  const making = sourceFiles()
    .filter(({ path }) => path.startsWith('src/services/'))
    .filter(({ absolutePath }) =>
      /linkMac\(|originOf\(context\)\}|_PATH\}[?#]/.test(readFileSync(absolutePath, 'utf8')),
    )
    .map(({ path }) => path)
  expect(making).toEqual(Object.keys(MADE_BY).toSorted())
})
