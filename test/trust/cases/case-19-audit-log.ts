import pg from 'pg'
import { startEmbeddedPostgres } from '../../../src/storage/database/embedded.ts'
import { type OwnBerth, withOwnBerth } from '../own-berth.ts'
import type { TrustCase } from '../trust-case.ts'

const VERIFY = 'scripts/verify-audit.ts'
const LAST = '(SELECT max(sequence) FROM audit_entry WHERE event_sequence_id = $1)'

const CHANGES = [
  `UPDATE audit_entry SET actor_id = 'x'`,
  'DELETE FROM audit_entry',
  'TRUNCATE audit_entry',
  'DELETE FROM audit_entry USING event_sequence',
]

/** What somebody with all rights in the database, and without the key, does to the log of one account. */
const ATTACKS: Readonly<Record<string, readonly string[]>> = {
  'another time': [`UPDATE audit_entry SET created_at = 'epoch' WHERE event_sequence_id = $1 AND sequence = 2`],
  'another actor': [`UPDATE audit_entry SET actor_id = 'x' WHERE event_sequence_id = $1 AND sequence = 2`],
  'a missing entry': ['DELETE FROM audit_entry WHERE event_sequence_id = $1 AND sequence = 2'],
  'a cut tail': [`DELETE FROM audit_entry WHERE event_sequence_id = $1 AND sequence = ${LAST}`],
  'a cut tail with its head': [
    `DELETE FROM audit_entry WHERE event_sequence_id = $1 AND sequence = ${LAST}`,
    `UPDATE event_sequence SET last_audit_sequence = ${LAST}, last_audit_hash = (SELECT hash FROM audit_entry
       WHERE event_sequence_id = $1 ORDER BY sequence DESC LIMIT 1) WHERE id = $1`,
  ],
  'no log at all': [
    'DELETE FROM audit_entry WHERE event_sequence_id = $1',
    `UPDATE event_sequence SET last_audit_sequence = 0, last_audit_hash = '', audit_head_mac = NULL WHERE id = $1`,
  ],
}

export const trustCase: TrustCase = {
  number: 19,
  title: 'What is done to the audit log in the database shows, and the admin reads all of it',
  run: () =>
    withOwnBerth(async (berth) => {
      const first = await berth.start()
      const { accountId } = (await first.ok('POST', '/account', { name: 'Watched' })) as { accountId: string }
      for (const name of ['one', 'two', 'three'])
        await first.ok('POST', '/app', { name, accountId, port: 80, useImage: true, image: 'nginx:1' })
      const { entries } = (await first.ok('GET', '/account/audit?installation=true')) as {
        entries: { action: string }[]
      }
      if (!entries.some(({ action }) => action === 'createAccount'))
        throw new Error('The admin does not read the entries of the installation')
      await first.stop()
      const whole = await berth.run(VERIFY)
      if (whole.code !== 0) throw new Error(`An untouched log does not hold: ${whole.said}`)
      const seen = await attacked(berth, accountId)
      return `${seen} of ${Object.keys(ATTACKS).length} changes found, ${CHANGES.length} refused to Berth’s own role; ${whole.said.trim().split('\n').at(-1)}`
    }),
}

/** The role that Berth runs as may write entries, and nothing else. */
async function expectRefused(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    for (const statement of CHANGES) {
      const refused = await client.query(statement).catch((error: { code: string }) => error)
      if (!('code' in refused) || refused.code !== '42501') throw new Error(`Berth's own role may: ${statement}`)
    }
  } finally {
    await client.end()
  }
}

async function attacked(berth: OwnBerth, accountId: string): Promise<number> {
  const server = await startEmbeddedPostgres({ dataDir: berth.dataDir })
  await expectRefused(server.url)
  const client = new pg.Client({ connectionString: server.superuserUrl })
  await client.connect()
  try {
    // Without it, a trigger refuses even a superuser.
    await client.query("SET session_replication_role = 'replica'")
    await client.query('CREATE TABLE kept_entry AS SELECT * FROM audit_entry')
    await client.query('CREATE TABLE kept_sequence AS SELECT * FROM event_sequence')
    for (const [name, statements] of Object.entries(ATTACKS)) {
      for (const statement of statements) await client.query(statement, [accountId])
      const { code, said } = await berth.run(VERIFY)
      if (code !== 1 || !said.includes(`✗ ${accountId}`)) throw new Error(`It does not show ${name}: ${said}`)
      await client.query('DELETE FROM audit_entry')
      await client.query('INSERT INTO audit_entry SELECT * FROM kept_entry')
      await client.query('DELETE FROM event_sequence')
      await client.query('INSERT INTO event_sequence SELECT * FROM kept_sequence')
    }
  } finally {
    await client.end()
    await server.stop()
  }
  return Object.keys(ATTACKS).length
}
