import { afterAll, beforeAll, expect, test } from 'vitest'
import { createApp } from '../../src/services/app/create-app.ts'
import { deleteApp } from '../../src/services/app/delete-app.ts'
import { updateApp } from '../../src/services/app/update-app.ts'
import { changeHealthcheck } from '../../src/services/app-env/setting-commands.ts'
import { changeVariables, deleteVariable, setVariables } from '../../src/services/app-env/variable-commands.ts'
import { createCredential, updateCredential } from '../../src/services/credential/credential-commands.ts'
import { deleteCredential } from '../../src/services/credential/delete-credential.ts'
import { createGitHook, rotateGitHookSecret, updateGitHook } from '../../src/services/git-hook/git-hook-commands.ts'
import { addHost } from '../../src/services/host/host-commands.ts'
import { cancelJobRun } from '../../src/services/job-run/cancel-job-run.ts'
import { createJobRun } from '../../src/services/job-run/create-job-run.ts'
import { rotateToken } from '../../src/services/token/rotate-token.ts'
import {
  createWebhook,
  deleteWebhook,
  rotateWebhookSecret,
  updateWebhook,
} from '../../src/services/webhook/webhook-commands.ts'
import { createWorld, type World } from '../support/world.ts'

let world: World

beforeAll(async () => {
  world = await createWorld()
})
afterAll(() => world.close())

let made = 0
const secrets: string[] = []

/** A text that is found nowhere else. */
const canary = (): string => {
  made += 1
  secrets.push(`canary-${made}-of-secrets`)
  return secrets.at(-1) as string
}

/** Each secret input of each command that changes something, before and after. */
const CALLS: Record<string, () => Promise<void>> = {
  async variables() {
    const { appEnvId } = await world.appEnv({ envVars: [{ name: 'OLD', value: canary(), isSecret: true }] })
    const variables = () => [
      { name: 'KEY', value: canary(), isSecret: true },
      { name: 'OPEN', value: canary() },
    ]
    for (const command of [setVariables, changeVariables, setVariables])
      await world.perform(command, { appEnvId, variables: variables() })
    await world.perform(deleteVariable, { appEnvId, name: 'KEY' })
  },
  async apps() {
    const headers = () => ({ 'X-Key': canary() })
    const appId = await world.app({ buildArgs: `A=${canary()}`, healthCheckHeaders: headers() })
    await world.perform(updateApp, { appId, buildArgs: `A=${canary()}`, healthCheckHeaders: headers() })
    const { appEnvId } = await world.appEnv({ appId })
    await world.perform(changeHealthcheck, { appEnvId, headers: headers() })
    await world.perform(changeHealthcheck, { appEnvId, headers: headers() })
    await world.perform(deleteApp, { appId })
  },
  async credentials() {
    const login = () => ({ username: 'ada', password: canary() })
    const bucket = () => ({ bucket: 'b', accessKeyId: 'id', secretAccessKey: canary() })
    for (const [type, data] of [
      ['CONTAINER_REGISTRY', login],
      ['BASIC_AUTH', login],
      ['OBJECT_STORAGE', bucket],
    ] as const) {
      const input = { accountId: world.accountId, type, name: 'Login', data: data() }
      const { credentialId } = await world.perform(createCredential, input)
      await world.perform(updateCredential, { credentialId, data: data() })
      await world.perform(deleteCredential, { credentialId })
    }
  },
  async webhooks() {
    const url = () => `https://receiver.example.com/${canary()}?key=${canary()}`
    const { webhookId, secret } = await world.perform(createWebhook, {
      accountId: world.accountId,
      name: 'Receiver',
      url: url(),
    })
    await world.perform(updateWebhook, { webhookId, url: url() })
    const rotated = await world.perform(rotateWebhookSecret, { webhookId })
    secrets.push(String(secret), String(rotated.secret))
    await world.perform(deleteWebhook, { webhookId })
  },
  async 'git hooks'() {
    const statuses = () => ({ statusApiUrl: 'https://api.github.com', statusToken: canary() })
    const input = { accountId: world.accountId, provider: 'GITHUB', name: 'Hook', ...statuses() }
    const created = await world.perform(createGitHook, input)
    const { gitHookId } = created
    await world.perform(updateGitHook, { gitHookId, ...statuses() })
    const rotated = await world.perform(rotateGitHookSecret, { gitHookId })
    secrets.push(String(created.secret), String(rotated.secret))
  },
  async 'job runs'() {
    const { appId } = await world.perform(createApp, {
      accountId: world.accountId,
      name: 'Import',
      dockerPreset: 'JOB',
      useImage: true,
      image: 'nginx:1',
      jobConfig: { command: 'import' },
    })
    const { appEnvId } = await world.appEnv({ appId })
    await world.deploy(appEnvId)
    const envVars = [{ name: 'DAY', value: canary() }]
    const { jobRunId } = await world.perform(createJobRun, { appEnvId, envVars, stdin: canary() })
    await world.perform(cancelJobRun, { jobRunId })
  },
  async tokens() {
    const { tokenId, token } = await world.token()
    const rotated = await world.perform(rotateToken, { tokenId, graceSeconds: 60 })
    secrets.push(token, String(rotated.token))
  },
}

test.each(Object.entries(CALLS))('no secret of %s is in the audit log', async (_name, calls) => {
  const before = secrets.length
  await calls()
  expect(secrets.length).toBeGreaterThan(before)
  const rows = await world.database.$queryRaw<{ text: string; details: object }[]>`
    SELECT to_json(a)::text AS text, details FROM audit_entry a`
  expect(JSON.stringify(rows.map(({ details }) => details))).toContain('***SECRET***')
  for (const { text } of rows) for (const secret of secrets) expect(text).not.toContain(secret)
  // Nor the hash of one, nor what it was sealed to.
  const kept = await world.database.$queryRaw<{ text: string }[]>`
    SELECT hash AS text FROM token UNION ALL SELECT sealed_value FROM variable UNION ALL SELECT fingerprint FROM variable
    UNION ALL SELECT sealed_data FROM credential UNION ALL SELECT sealed_data FROM webhook
    UNION ALL SELECT sealed_data FROM git_hook`
  for (const { text } of rows) for (const hidden of kept) expect(text).not.toContain(hidden.text)
})

test('a claim that another account never proved is given up, and the entry of the new one tells nothing of it', async () => {
  const host = 'shop.example.com'
  const other = await world.appEnv({ accountId: await world.account() })
  const { hostId } = await world.perform(addHost, { appEnvId: other.appEnvId, host })
  await world.database.host.update({ where: { id: hostId }, data: { createdAt: new Date('2020-01-01') } })
  const { appEnvId } = await world.appEnv()
  const claimed = await world.perform(addHost, { appEnvId, host })
  expect(await world.database.host.count({ where: { id: hostId } })).toBe(0)
  const [entry] = await world.database.auditEntry.findMany({ where: { action: 'addHost' }, orderBy: { id: 'desc' } })
  const text = JSON.stringify(entry?.details)
  expect(text).toContain(claimed.hostId)
  for (const theirs of [hostId, other.appEnvId]) expect(text).not.toContain(theirs)
})
