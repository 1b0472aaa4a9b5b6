import type { Permission } from '../../src/domain/permissions.ts'
import { hashOfSecret } from '../../src/storage/secrets/token-secret.ts'
import type { World } from '../support/world.ts'
import type { Target } from './callers.ts'

type Fields = Readonly<Record<string, unknown>>
type Found = { accountId: string | null; appEnvId?: string | null } | null

const INSTALLATION: Target = { accountId: null, appEnvId: null }

/** Permissions about no account. */
const OF_NOBODY: ReadonlySet<Permission> = new Set(['installation:manage', 'user:read'])

/** What a call with these fields acts on, by the tables alone: the nearest thing that it names. */
export async function targetOf(
  { database, accountId }: World,
  permission: Permission,
  fields: Fields,
): Promise<Target> {
  if (OF_NOBODY.has(permission)) return INSTALLATION
  const named = (key: string) => (typeof fields[key] === 'string' ? (fields[key] as string) : null)
  const both = { accountId: true, appEnvId: true } as const
  const one = { accountId: true } as const
  const finders: Record<string, (id: string) => Promise<Found>> = {
    appEnvId: (id) =>
      database.appEnv.findUnique({ where: { id }, select: { accountId: true, id: true } }).then(asTarget),
    envName: (cliEnvName) =>
      database.appEnv.findFirst({ where: { cliEnvName }, select: { accountId: true, id: true } }).then(asTarget),
    operationId: (id) => database.operation.findUnique({ where: { id }, select: both }),
    contentId: (id) =>
      database.content
        .findUnique({ where: { id }, select: { appEnv: { select: { accountId: true, id: true } } } })
        .then((row) => asTarget(row?.appEnv ?? null)),
    jobRunId: (id) => database.jobRun.findUnique({ where: { id }, select: both }),
    backupKey: (id) => database.backup.findUnique({ where: { id }, select: both }),
    volumeId: (id) => database.volume.findUnique({ where: { id }, select: both }),
    tokenId: (id) =>
      database.token
        .findUnique({ where: { id }, select: { appEnv: { select: { accountId: true, id: true } } } })
        .then((row) => asTarget(row?.appEnv ?? null)),
    appId: (id) => database.app.findUnique({ where: { id }, select: one }),
    credentialId: (id) => database.credential.findUnique({ where: { id }, select: one }),
    installationId: (id) => database.solutionInstallation.findUnique({ where: { id }, select: one }),
    webhookId: (id) => database.webhook.findUnique({ where: { id }, select: one }),
    deliveryId: (id) =>
      database.webhookDelivery
        .findUnique({ where: { id }, select: { webhook: { select: one } } })
        .then((row) => row?.webhook ?? null),
    gitHookId: (id) => database.gitHook.findUnique({ where: { id }, select: one }),
    gitDeliveryId: (id) => database.gitDelivery.findUnique({ where: { id }, select: one }),
    invitationId: (id) => database.invitation.findUnique({ where: { id }, select: one }),
    secret: (secret) => database.invitation.findUnique({ where: { hash: hashOfSecret(secret) }, select: one }),
    accountId: async (id) => ({ accountId: id }),
  }
  for (const [key, find] of Object.entries(finders)) {
    const value = named(key)
    const found = value === null ? null : await find(value)
    if (found) return { accountId: found.accountId, appEnvId: found.appEnvId ?? null }
  }
  return permission === 'token:own' ? INSTALLATION : { accountId, appEnvId: null }
}

const asTarget = (row: { accountId: string; id: string } | null): Found =>
  row && { accountId: row.accountId, appEnvId: row.id }

/** What the second permission of a call is about: of an installation, the environments that it shows. */
export async function besidesTargetOf({ database }: World, fields: Fields, target: Target): Promise<Target> {
  const installationId = fields.installationId
  if (typeof installationId !== 'string') return target
  const component = await database.solutionComponent.findFirst({ where: { installationId } })
  return { ...target, appEnvId: component?.appEnvId ?? target.appEnvId }
}
