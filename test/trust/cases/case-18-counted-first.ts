import pg from 'pg'
import type { Answer, FreshBerth, TrustCase } from '../trust-case.ts'

const LIMIT = 60
const ANONYMOUS = 20

export const trustCase: TrustCase = {
  number: 18,
  title: 'Requests are counted before the database, by address and account',
  settings: {
    BERTH_RATE_LIMIT: String(LIMIT),
    BERTH_ANONYMOUS_RATE_LIMIT: String(ANONYMOUS),
    BERTH_TRUSTED_PROXIES: '127.0.0.1',
  },
  async run(berth) {
    const from = (address: string, token?: string | null) => () =>
      berth.rest('GET', '/accounts', undefined, { token, headers: { 'x-forwarded-for': `9.9.9.9, ${address}` } })
    const wrong = () => from('198.51.100.1', `berth_x_${Math.random().toString(36).repeat(4)}`)()

    const tries = await times(ANONYMOUS + 20, wrong)
    const refusedTries = tries.filter(({ status }) => status === 429).length
    if (refusedTries !== 20) throw new Error(`${refusedTries} of 20 wrong tokens over the limit were refused with 429`)
    const other = await from('198.51.100.2', null)()
    if (other.status !== 401) throw new Error(`Another address behind the same proxy got ${other.status}`)

    const { token: second } = (await berth.ok('POST', '/token', {
      kind: 'SCOPED',
      name: 'second',
      scopes: ['svc:read'],
    })) as { token: string }
    await times(LIMIT, from('198.51.100.3'))
    const shared = await from('198.51.100.3', second)()
    const before = await transactions(berth)
    const refused = await times(40, from('198.51.100.3'))
    const statements = (await transactions(berth)) - before
    if (refused.some(({ status }) => status !== 429)) throw new Error('A request over the limit was answered')
    // Berth itself queries all the time; forty requests would add as many.
    return `${refusedTries} of 20 wrong tokens refused unread, another address ${other.status}, a second token of the account ${shared.status}; 40 refused requests while the database had ${statements} transactions`
  },
}

async function times(count: number, ask: () => Promise<Answer>): Promise<Answer[]> {
  const answers = []
  for (let number = 0; number < count; number += 1) answers.push(await ask())
  return answers
}

async function transactions({ databaseUrl }: FreshBerth): Promise<number> {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  const { rows } = await client.query(
    'SELECT xact_commit + xact_rollback AS n FROM pg_stat_database WHERE datname = current_database()',
  )
  await client.end()
  return Number(rows[0].n)
}
