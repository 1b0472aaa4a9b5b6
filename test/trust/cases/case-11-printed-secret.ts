import pg from 'pg'
import { ensureTestImage } from '../../support/test-image.ts'
import type { TrustCase } from '../trust-case.ts'

const SECRET = 'correct horse/battery+staple'
const PROGRAM = `
console.error('cannot log in with ' + process.env.PASSWORD + ' or ' + encodeURIComponent(process.env.PASSWORD))
console.error('Authorization: Basic ' + btoa('user:' + process.env.PASSWORD))
process.exit(3)`
const FORMS = [SECRET, encodeURIComponent(SECRET), btoa(`user:${SECRET}`).slice(8, -4)]
/** All that quotes output. Log lines are the tenant's own output, and the trap's proof. */
const QUOTES = ['operation', 'content', 'event', 'audit_entry', 'app_env']

export const trustCase: TrustCase = {
  number: 11,
  title: 'A secret that a container prints before it exits is quoted nowhere',
  async run(berth) {
    const image = await ensureTestImage(berth.docker)
    const { currentAccountId: accountId } = await berth.ok('GET', '/user/token')
    const { appId } = await berth.ok('POST', '/app', { accountId, name: 'Trap', port: 3000, useImage: true, image })
    const { appEnvId } = await berth.ok('POST', '/app-env', {
      accountId,
      appId,
      name: 'production',
      region: 'local',
      envVars: [{ name: 'PASSWORD', value: SECRET, type: 'DEPLOY', isSecret: true }],
      startupConfig: { command: 'node', args: ['-e', PROGRAM], shell: false },
    })
    await berth.ok('POST', '/app-env/deploy-image', { appEnvId, image }, { headers: { prefer: 'wait=60' } })
    const status = await berth.rest('GET', `/app-env/status?appEnvId=${appEnvId}`)
    const logs = await berth.rest('GET', `/logs?appEnvId=${appEnvId}`)
    if (!logs.text.includes(FORMS[1] ?? '')) throw new Error(`The container did not print its secret: ${logs.text}`)
    const quotes = [status.text, berth.log(), ...(await rowsOf(berth.databaseUrl))]
    const shown = FORMS.filter((form) => quotes.some((text) => text.includes(form)))
    if (shown.length > 0) throw new Error(`Shown: ${shown.join(', ')}`)
    const masks = quotes.join().split('***SECRET***').length - 1
    if (masks === 0) throw new Error('The output was not quoted at all')
    return `0 of ${FORMS.length} forms shown in ${quotes.length} places; masked ${masks} times`
  },
}

async function rowsOf(url: string): Promise<string[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    const texts: string[] = []
    for (const table of QUOTES) {
      const { rows } = await client.query(`SELECT to_jsonb(t)::text AS row FROM ${table} t`)
      texts.push(...rows.map(({ row }) => String(row)))
    }
    return texts
  } finally {
    await client.end()
  }
}
