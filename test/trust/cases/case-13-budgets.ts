import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { ensureTestImage } from '../../support/test-image.ts'
import type { FreshBerth, TrustCase } from '../trust-case.ts'

const MB = 1024 * 1024
const LOG_MB = 4
const PARALLEL = 20
/** Says a KiB as often as the pipe takes it, and 32 MB in all. */
const FLOOD = `
require('node:http').createServer((_, response) => response.end('ok')).listen(Number(process.env.PORT))
let left = 32 * 1024
const say = () => { while (left-- > 0) if (!process.stdout.write('x'.repeat(1023) + '\\n')) return process.stdout.once('drain', say) }
say()`

export const trustCase: TrustCase = {
  number: 13,
  title: 'The logs and uploads of an account stay within its budgets',
  settings: { BERTH_LOG_MB_PER_MINUTE: String(LOG_MB), BERTH_UPLOAD_BUDGET_MB: '64' },
  async run(berth) {
    const { currentAccountId: accountId } = await berth.ok('GET', '/user/token')
    const logs = await floodLogs(berth, accountId)
    const uploads = await floodUploads(berth, accountId)
    return `${logs}; ${uploads}`
  },
}

async function floodLogs(berth: FreshBerth, accountId: unknown): Promise<string> {
  const image = await ensureTestImage(berth.docker)
  const app = { accountId, name: 'Flood', port: 3000, useImage: true, image }
  const { appId } = await berth.ok('POST', '/app', app)
  const { appEnvId } = await berth.ok('POST', '/app-env', {
    accountId,
    appId,
    name: 'production',
    region: 'local',
    containers: 2,
    startupConfig: { command: 'node', args: ['-e', FLOOD], shell: false },
  })
  const since = Date.now()
  await berth.ok('POST', '/app-env/deploy-image', { appEnvId, image }, { headers: { prefer: 'wait=60' } })
  // Until nothing is written any more: the flood has passed.
  let kept = -1
  for (let now = await bytesOf(berth); now !== kept; now = await bytesOf(berth)) {
    kept = now
    await sleep(3_000)
  }
  const minutes = Math.floor(Date.now() / 60_000) - Math.floor(since / 60_000) + 1
  // Dropped stretches are reported in lines of their own.
  if (kept > minutes * LOG_MB * MB * 1.01) throw new Error(`${kept} bytes of logs were kept in ${minutes} minutes`)
  if (kept < MB) throw new Error(`Only ${kept} bytes of logs were kept`)
  return `${(kept / MB).toFixed(1)} of 64 MB of logs kept within ${minutes} minute(s) of ${LOG_MB} MB`
}

async function floodUploads(berth: FreshBerth, accountId: unknown): Promise<string> {
  const { appId } = await berth.ok('POST', '/app', { accountId, name: 'Uploads', port: 3000, isCliDeployment: true })
  const { appEnvId } = await berth.ok('POST', '/app-env', { accountId, appId, name: 'production', region: 'local' })
  const key = await berth.ok('POST', '/app-env/request-storage-key', { appEnvId, fileExtension: '.tgz' })
  const put = async (url: unknown) => {
    const response = await fetch(String(url), { method: 'PUT', body: new Uint8Array(16 * MB) })
    const { reason } = (await response.json()) as { reason?: string }
    return reason ?? String(response.status)
  }
  const answers = await Promise.all(Array.from({ length: PARALLEL }, () => put(key.uploadUrl)))
  const accepted = answers.filter((answer) => answer === '200').length
  const refused = answers.filter((answer) => answer === 'UPLOAD_IN_PROGRESS').length
  // One after the other is allowed, as slow as the machine may be; all at once is not.
  if (accepted + refused !== PARALLEL || refused < PARALLEL / 2) throw new Error(`Parallel PUTs: ${answers.join(', ')}`)
  let kept = 16
  for (; kept < 160; kept += 16) {
    const next = await berth.ok('POST', '/app-env/request-storage-key', { appEnvId, fileExtension: '.tgz' })
    const answer = await put(next.uploadUrl)
    if (answer === 'UPLOAD_BUDGET') break
    if (answer !== '200') throw new Error(`An upload was answered ${answer}`)
  }
  if (kept !== 64) throw new Error(`${kept} MB of uploads were kept`)
  return `${refused} of ${PARALLEL} parallel PUTs of one key refused; ${kept} of 64 MB of uploads kept`
}

async function bytesOf({ databaseUrl }: FreshBerth): Promise<number> {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  try {
    const { rows } = await client.query('SELECT coalesce(sum(octet_length(message)), 0)::float8 AS bytes FROM log_line')
    return Number(rows[0].bytes)
  } finally {
    await client.end()
  }
}
