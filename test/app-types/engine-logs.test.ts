import { describe, expect, test } from 'vitest'
import { levelOf, SecretFilter } from '../../src/app-types/engines/engine-logs.ts'
import { findEngine } from '../../src/app-types/engines/engines.ts'
import { ENGINES } from '../../src/app-types/engines/list.ts'

const logsOf = (name: string) => {
  const engine = findEngine(name)
  if (!engine) throw new Error(`There is no ${name}`)
  return engine.logs
}

/** As the engines document them, or as their servers wrote them. */
const LINES: readonly (readonly [string, string, string | null])[] = [
  ['POSTGRESQL', '2026-11-22 18:31:02.123 UTC [1] LOG:  database system is ready to accept connections', 'INFO'],
  ['POSTGRESQL', '2026-11-22 18:31:02.123 UTC [64] ERROR:  relation "a" does not exist at character 15', 'ERROR'],
  ['POSTGRESQL', '2026-11-22 18:31:02.123 UTC [64] STATEMENT:  select * from a', null],
  ['POSTGRESQL', '2026-11-22 18:31:02.123 UTC [64] FATAL:  password authentication failed for user "berth"', 'FATAL'],
  ['POSTGRESQL', '\tselect 1', null],
  ['MYSQL', '2026-11-22T14:25:02.936146Z 0 [Warning] [MY-010068] [Server] CA certificate is self signed.', 'WARNING'],
  ['MYSQL', '2026-11-22T14:25:02.936146Z 0 [System] [MY-010931] [Server] ready for connections.', 'INFO'],
  ['MYSQL', '2026-11-22 18:33:01 0 [Note] mysqld: ready for connections.', 'INFO'],
  ['MYSQL', '2026-11-22 18:33:01 7 [ERROR] Incorrect definition of table', 'ERROR'],
  ['MYSQL', '# Query_time: 2.000  Lock_time: 0.0  Rows_sent: 1  Rows_examined: 0', null],
  ['MYSQL', 'select sleep(2);', null],
  ['REDIS', '1:M 22 Nov 2026 18:35:09.101 * Ready to accept connections tcp', 'INFO'],
  ['REDIS', '1:M 22 Nov 2026 18:35:09.101 # Connection with replica lost.', 'WARNING'],
  ['REDIS', '1:M 22 Nov 2026 18:35:09.101 - Accepted 127.0.0.1:5', 'DEBUG'],
  ['REDIS', 'slow command: 12.500 ms, from 10.0.0.1:5: ["keys","*"]', null],
  ['MONGODB', '{"t":{"$date":"2026-11-22T18:00:00.000+00:00"},"s":"I",  "c":"COMMAND",  "id":51803}', 'INFO'],
  ['MONGODB', '{"t":{"$date":"2026-11-22T18:00:00.000+00:00"},"s":"E",  "c":"STORAGE",  "id":22435}', 'ERROR'],
  ['MONGODB', 'about to fork child process', null],
  ['COUCHDB', '[notice] 2026-11-22T18:00:00.000000Z nonode@nohost <0.1.0> abc GET /_up 200 ok 1', 'INFO'],
  ['COUCHDB', '[error] 2026-11-22T18:00:00.000000Z nonode@nohost <0.1.0> -------- gone', 'ERROR'],
  ['RABBITMQ', '2026-11-22 18:36:11.049152+00:00 [info] <0.222.0> Feature flags: none', 'INFO'],
  ['RABBITMQ', '2026-11-22 18:36:11.049152+00:00 [warning] <0.222.0> disk is low', 'WARNING'],
  ['RABBITMQ', '  ##  ##      RabbitMQ 4.3.0', null],
  ['CLICKHOUSE', '2026.11.22 18:00:00.000000 [ 1 ] {} <Information> Application: Ready for connections.', 'INFO'],
  ['CLICKHOUSE', '2026.11.22 18:00:00.000000 [ 48 ] {a-b} <Error> executeQuery: Code: 60.', 'ERROR'],
]

describe('the level of a line', () => {
  test.each(LINES)('of %s: %s', (name, line, level) => {
    expect(levelOf(logsOf(name), line)).toBe(level)
  })

  test('is found for each engine, and slow settings exist', () => {
    for (const { name, logs, settings } of ENGINES) {
      expect(LINES.some(([engine, , level]) => engine === name && level !== null)).toBe(true)
      if (logs.slow !== null) expect(settings.map((setting) => setting.name)).toContain(logs.slow)
    }
  })
})

describe('secrets in statements', () => {
  const hidden = (name: string, ...lines: string[]) => {
    const filter = new SecretFilter(logsOf(name))
    return lines.map((line) => filter.hide(line))
  }
  const head = '2026-11-22 18:31:02.123 UTC [64] LOG:  duration: 0.2 ms  statement: '

  test('are hidden, and the rest of the statement stays', () => {
    expect(hidden('POSTGRESQL', `${head}ALTER USER a PASSWORD 'se''cr\\'et' VALID UNTIL 'infinity' -- now`)).toEqual([
      `${head}ALTER USER a PASSWORD '***' VALID UNTIL '***' -- now`,
    ])
    expect(hidden('POSTGRESQL', `${head}SELECT dblink('host=b password=secret user=c')`)).toEqual([
      `${head}SELECT dblink('host=b password=*** user=c'***`,
    ])
    expect(hidden('POSTGRESQL', `${head}ALTER USER a PASSWORD $x$secret$x$`)).toEqual([
      `${head}ALTER USER a PASSWORD $x$***$x$`,
    ])
    expect(hidden('MYSQL', '# Time: 261122', "CREATE USER 'a'@'%' IDENTIFIED BY \"secret\";")).toEqual([
      '# Time: 261122',
      "CREATE USER 'a'@'%' IDENTIFIED BY \"***\";",
    ])
    const [acl] = hidden('REDIS', 'slow command: 0.010 ms, from 10.0.0.1:5: ["acl","setuser","other",">secret"]')
    expect(acl).toContain('["acl","setuser"')
    expect(acl).not.toContain('secret')
  })

  test('are hidden on lines that follow, up to the next entry', () => {
    const lines = [`${head}ALTER USER a`, "\tPASSWORD 'sec", "\tret', 'more'", "\t'again'", `${head}SELECT 'shown'`]
    expect(hidden('POSTGRESQL', ...lines)).toEqual([
      `${head}ALTER USER a`,
      "\tPASSWORD '***",
      "***', '***'",
      "\t'***'",
      `${head}SELECT 'shown'`,
    ])
  })

  test('are hidden also where reading begins in the middle of an entry', () => {
    expect(hidden('POSTGRESQL', "\tand then 'secret'", `${head}SELECT 'shown'`, "\t'shown'")).toEqual([
      "\tand then '***'",
      `${head}SELECT 'shown'`,
      "\t'shown'",
    ])
  })

  test('cost no more than the length of a line', () => {
    const line = `${head}password ${"'a''".repeat(4_000)}${'$'.repeat(8_000)}${'password='.repeat(2_000)}`
    const since = process.cpuUsage().user
    for (let time = 0; time < 20; time += 1) hidden('POSTGRESQL', line)
    // In processor time of this process: a filter that backtracks takes minutes.
    expect(process.cpuUsage().user - since).toBeLessThan(5_000_000)
  })
})
