import type { Database } from '../../src/database/client.ts'

type Names = Map<string, string>

const ID = /\b(acc|usr|app|env|con|op|var|host|cred|tok|aud|vol)_[0-9a-z]{26}\b/g

/**
 * Everything that a call can have changed, without times and with ids replaced by their order of appearance, so that
 * two installations that went through the same calls are equal.
 */
export async function snapshot(database: Database): Promise<unknown> {
  const orderBy = { id: 'asc' } as const
  const state = {
    accounts: await database.account.findMany({ orderBy, omit: { dataKey: true } }),
    users: await database.user.findMany({ orderBy, omit: { email: true, username: true } }),
    memberships: await database.membership.findMany({ orderBy: [{ accountId: 'asc' }, { createdAt: 'asc' }] }),
    apps: await database.app.findMany({ orderBy }),
    appEnvs: await database.appEnv.findMany({ orderBy }),
    variables: await database.variable.findMany({ orderBy, omit: { sealedValue: true, fingerprint: true } }),
    hosts: await database.host.findMany({ orderBy }),
    releasedHosts: await database.releasedHost.findMany({ orderBy: { host: 'asc' } }),
    volumes: await database.volume.findMany({ orderBy }),
    contents: await database.content.findMany({ orderBy, omit: { configuration: true } }),
    operations: await database.operation.findMany({ orderBy }),
    tokens: await database.token.findMany({ orderBy, omit: { hash: true, lastUsedAt: true } }),
    credentials: await database.credential.findMany({ orderBy, omit: { sealedData: true } }),
    events: await database.event.findMany({ orderBy: [{ eventSequenceId: 'asc' }, { sequence: 'asc' }] }),
    audit: await database.auditEntry.findMany({
      orderBy: [{ eventSequenceId: 'asc' }, { sequence: 'asc' }],
      omit: { id: true, hash: true },
    }),
  }
  return comparable(state, new Map())
}

function comparable(value: unknown, names: Names): unknown {
  if (typeof value === 'string') return withoutChance(value, names)
  if (typeof value === 'bigint') return Number(value)
  if (value instanceof Date) return 'a time'
  if (Array.isArray(value)) return value.map((item) => comparable(item, names))
  if (value === null || typeof value !== 'object') return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, comparable(item, names)]))
}

function withoutChance(text: string, names: Names): string {
  const named = text.replace(ID, (id, prefix: string) => {
    const known = names.get(id) ?? `${prefix}#${names.size + 1}`
    names.set(id, known)
    return known
  })
  // The names that the world generates when a case does not set them.
  const made = named
    .replace(/\b(token|app|account) [0-9a-f]{8}\b/g, '$1')
    .replace(/[0-9a-f-]{36}@example/g, 'somebody@example')
  return made.replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'a time')
}
