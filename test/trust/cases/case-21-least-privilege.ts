import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { parse } from 'yaml'
import { startEmbeddedPostgres } from '../../../src/storage/database/embedded.ts'
import { withOwnBerth } from '../own-berth.ts'
import type { TrustCase } from '../trust-case.ts'

const ROOT = join(import.meta.dirname, '../../..')

/** What a statement that a tenant smuggled in would try. */
const BEYOND = [
  `COPY (SELECT 1) TO PROGRAM 'id'`,
  `SELECT pg_read_file('/etc/passwd')`,
  `SELECT lo_import('/etc/passwd')`,
  'CREATE ROLE other SUPERUSER',
  'ALTER ROLE CURRENT_USER SUPERUSER',
  `ALTER SYSTEM SET archive_command = 'id'`,
]

/** What an ingress has no use for. */
const SECRETS = ['SELECT * FROM account', 'SELECT * FROM token', 'SELECT * FROM variable', 'DELETE FROM host']

export const trustCase: TrustCase = {
  number: 21,
  title: 'Each process has the rights in the database and the secrets that it needs',
  run: () =>
    withOwnBerth(async (berth) => {
      const first = await berth.start()
      const server = await startEmbeddedPostgres({ dataDir: berth.dataDir })
      try {
        for (const url of [server.url, server.ingressUrl]) await assertRefused(url, BEYOND)
        await assertRefused(server.ingressUrl, SECRETS)
      } finally {
        await server.stop()
      }
      const made = await ingressSecrets(berth, server.ingressUrl)
      await first.stop()
      assertStack()
      return `${BEYOND.length} statements refused to both roles, ${SECRETS.length} more to the ingress; its data directory has ${made} secrets; no default password in the stack`
    }),
}

async function assertRefused(url: string, statements: readonly string[]): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    for (const statement of statements) {
      const refused = await client.query(statement).then(
        () => null,
        (error: { code?: string }) => error.code,
      )
      if (refused !== '42501') throw new Error(`${statement} was not refused: ${refused ?? 'it was carried out'}`)
    }
  } finally {
    await client.end()
  }
}

/** How many secrets are in the data directory of an ingress alone, after its start. */
async function ingressSecrets(berth: Parameters<Parameters<typeof withOwnBerth>[0]>[0], databaseUrl: string) {
  const dataDir = mkdtempSync(join(tmpdir(), 'berth-ingress-'))
  try {
    const ingress = await berth.start({ BERTH_ROLES: 'ingress', BERTH_DATA_DIR: dataDir, DATABASE_URL: databaseUrl })
    const made = ['master-key', 'admin-token'].filter((name) => existsSync(join(dataDir, name)))
    if (made.length > 0) throw new Error(`The ingress has ${made.join(' and ')}`)
    await ingress.stop()
    return made.length
  } finally {
    rmSync(dataDir, { recursive: true, force: true })
  }
}

function assertStack(): void {
  const text = readFileSync(join(ROOT, 'docker-compose.yml'), 'utf8')
  const { services } = parse(text, { merge: true }) as { services: Record<string, { volumes?: string[] }> }
  const mounted = services.ingress?.volumes ?? []
  if (mounted.some((volume) => /^(berth-data|berth-secret|postgres-secret):/.test(volume)))
    throw new Error(`The ingress of the stack mounts ${mounted.join(', ')}`)
  if (/PASSWORD:-\w/.test(text) || /:\/\/\w+:[^@\s]+@/.test(text)) throw new Error('The stack has a default password')
}
