import { routes } from '../../../src/api/rest/routes.ts'
import type { Database } from '../../../src/storage/database/client.ts'
import { type ApiCall, callGraphQL, callRest } from '../../parity/apis.ts'
import { PARITY_CASES } from '../../parity/cases.ts'
import { makeFresh } from '../../parity/fresh-world.ts'
import { serveWorld } from '../../support/serve-world.ts'
import type { World } from '../../support/world.ts'
import { expectThat } from './calls.ts'

/** They need a source, an archive that was uploaded, or a GitHub that is asked, which no case has. */
const NOT_TRIED = ['buildAppEnv', 'requestStorageKey', 'notifyCodeUpload', 'connectGitInstallation']
const APIS: Record<string, ApiCall> = { REST: callRest, GraphQL: callGraphQL }

/**
 * Every call that is accepted, as a dry run through both APIs: not one row of any table is another afterwards, and
 * an idempotency key that it brings along is not used up. Up to so many cases of each command; how many runs there were.
 */
export async function dryRunEverything(world: World, { casesOfEach }: { casesOfEach: number }): Promise<number> {
  const served = serveWorld(world)
  const fingerprints = await fingerprintsOf(world.database)
  const tried = new Map<string, number>()
  let runs = 0
  try {
    for (const { title, expected, prepare } of PARITY_CASES) {
      // Titles begin with the command.
      const [name = ''] = title.split(' ')
      if (expected !== 'accepted' || (tried.get(name) ?? 0) >= casesOfEach) continue
      await makeFresh(world)
      const prepared = await prepare(world)
      const before = await everything(world.database, fingerprints)
      for (const [through, api] of Object.entries(APIS)) {
        const outcome = await api(served.app, world.adminToken, { ...prepared, isDry: true })
        expectThat(outcome.accepted, `${title} is accepted as a dry run over ${through}`, outcome)
        const after = await everything(world.database, fingerprints)
        const changed = [...before].filter(([table, rows]) => after.get(table) !== rows).map(([table]) => table)
        expectThat(changed.length === 0, `A dry run of ${title} over ${through} leaves no trace`, changed)
        runs += 1
      }
      tried.set(prepared.command.name, (tried.get(prepared.command.name) ?? 0) + 1)
    }
  } finally {
    await served.close()
  }
  const commands = routes.flatMap((route) => ('command' in route ? [route.command.name] : []))
  const missing = commands.filter((name) => !tried.has(name) && !NOT_TRIED.includes(name))
  expectThat(missing.length === 0, 'Every command is tried', missing)
  return runs
}

/** Each table with its number of rows and a fingerprint of them. When a token was last used is not the call's doing. */
async function everything(database: Database, fingerprints: string): Promise<Map<string, string>> {
  const found = await database.$queryRawUnsafe<{ name: string; rows: string }[]>(fingerprints)
  return new Map(found.map(({ name, rows }) => [name, rows]))
}

/** The statement that takes them all: each row counts by its hash, in whatever order. */
async function fingerprintsOf(database: Database): Promise<string> {
  const tables = await database.$queryRaw<{ name: string; isUsed: boolean }[]>`
    SELECT t.table_name::text AS name, EXISTS (SELECT 1 FROM information_schema.columns c
      WHERE c.table_schema = 'public' AND c.table_name = t.table_name AND c.column_name = 'last_used_at') AS "isUsed"
    FROM information_schema.tables t WHERE table_schema = 'public' AND table_type = 'BASE TABLE' ORDER BY 1`
  return tables
    .map(({ name, isUsed }) => {
      const row = isUsed ? `(to_jsonb(t) - 'last_used_at')::text` : 't::text'
      return `SELECT '${name}' AS name, count(*) || ' ' || coalesce(sum(hashtextextended(${row}, 0)), 0) AS rows FROM "${name}" t`
    })
    .join(' UNION ALL ')
}
