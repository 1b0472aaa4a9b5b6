import pg from 'pg'
import { startEmbeddedPostgres } from '../../../src/storage/database/embedded.ts'
import { withOwnBerth } from '../own-berth.ts'
import type { TrustCase } from '../trust-case.ts'

const NEWER = '29991231000000_from_the_future'

export const trustCase: TrustCase = {
  number: 15,
  title: 'A Berth that is older than its database does not start, and says which version it needs',
  run: () =>
    withOwnBerth(async (berth) => {
      const first = await berth.start()
      await first.stop()
      await migrateFurther(berth.dataDir)
      const refusals: string[] = []
      for (const roles of ['api', 'worker', 'api,worker,ingress'])
        refusals.push(await berth.refusal({ BERTH_ROLES: roles, DOCKER_HOST: 'unix:///nonexistent' }))
      const vague = refusals.filter((said) => !said.includes(NEWER) || !said.includes('Berth 9.9.9'))
      if (vague.length > 0) throw new Error(`A refusal does not name the version: ${vague[0]}`)
      return `${refusals.length} of ${refusals.length} starts refused, each with the migration and Berth 9.9.9`
    }),
}

/** As a Berth 9.9.9 would leave it. */
async function migrateFurther(dataDir: string): Promise<void> {
  const server = await startEmbeddedPostgres({ dataDir })
  const client = new pg.Client({ connectionString: server.url })
  await client.connect()
  await client.query('UPDATE installation SET berth_version = $1', ['9.9.9'])
  await client.query(
    `INSERT INTO _prisma_migrations (id, checksum, migration_name, finished_at) VALUES ('x', 'x', $1, now())`,
    [NEWER],
  )
  await client.end()
  await server.stop()
}
