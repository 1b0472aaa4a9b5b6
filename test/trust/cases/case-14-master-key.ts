import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { Orders, type Pass } from '../../crash/harness/orders.ts'
import { type OwnBerth, withOwnBerth } from '../own-berth.ts'
import type { TrustCase } from '../trust-case.ts'

const SECRET = 'correct horse battery staple'
const ROTATE = 'scripts/rotate-key.ts'

export const trustCase: TrustCase = {
  number: 14,
  title: 'A lost master key is asked for, a readable one refused, and a rotation survives SIGKILL at every step',
  run: () =>
    withOwnBerth(async (berth) => {
      const first = await berth.start()
      const appEnvId = await keepSecret(first)
      const whileRunning = await berth.run(ROTATE)
      if (whileRunning.code !== 1 || !/Berth is running/.test(whileRunning.said))
        throw new Error(`The key was rotated while Berth ran: ${whileRunning.said}`)
      await first.stop()
      await refusesWithoutKey(berth)
      const kills = await killedRotations(berth)
      const again = await berth.start()
      const record = await again.ok('GET', `/app-env?appEnvId=${appEnvId}&decrypt=true`)
      if (!JSON.stringify(record).includes(SECRET)) throw new Error('The secret cannot be read after the rotations')
      const old = readdirSync(berth.dataDir).filter((name) => name.startsWith('master-key.old-'))
      return `3 starts refused, 0 keys made; ${kills} rotations killed, each finished by the next, the secret readable; ${old.length} old keys kept`
    }),
}

async function keepSecret(berth: Awaited<ReturnType<OwnBerth['start']>>): Promise<string> {
  const { accounts } = (await berth.ok('GET', '/accounts')) as { accounts: { accountId: string }[] }
  const accountId = accounts.at(-1)?.accountId
  const app = { name: 'shop', accountId, port: 80, useImage: true, image: 'nginx:1' }
  const { appId } = await berth.ok('POST', '/app', app)
  const envVars = [{ name: 'PASSWORD', value: SECRET, isSecret: true }]
  const { appEnvId } = await berth.ok('POST', '/app-env', { name: 'prod', appId, accountId, region: 'local', envVars })
  await berth.ok('POST', '/app-env/deploy-image', { appEnvId, image: 'nginx:1' })
  return String(appEnvId)
}

async function refusesWithoutKey(berth: OwnBerth): Promise<void> {
  const file = join(berth.dataDir, 'master-key')
  renameSync(file, `${file}.away`)
  const lost = await berth.refusal()
  if (!/Restore .*master-key/.test(lost)) throw new Error(`The refusal does not say what to restore: ${lost}`)
  if (existsSync(file)) throw new Error('A new master key was made in place of the lost one')
  const other = await berth.refusal({ BERTH_MASTER_KEY: '5e'.repeat(32) })
  if (!/is not the one/.test(other)) throw new Error(`Another key was not recognised: ${other}`)
  renameSync(`${file}.away`, file)
  chmodSync(file, 0o644)
  const readable = await berth.refusal()
  if (!/chmod 600/.test(readable)) throw new Error(`The refusal does not say what to run: ${readable}`)
  chmodSync(file, 0o600)
}

/** Kills one rotation at each step that a whole one passes; the next run finishes it. Returns how many were killed. */
async function killedRotations(berth: OwnBerth): Promise<number> {
  const folder = join(berth.dataDir, 'orders')
  mkdirSync(folder)
  const orders = new Orders(folder)
  const rotate = () => berth.run(ROTATE, [], { BERTH_FAULT_INJECTION: folder })
  await finished(rotate)
  const steps = readFileSync(join(folder, 'passes'), 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('rotation.step '))
    .map((line) => line.slice('rotation.step '.length))
  for (const [index, subject] of steps.entries()) {
    const pass = steps.slice(0, index + 1).filter((step) => step === subject).length
    orders.arm({ point: 'rotation.step', subject, pass } satisfies Pass, 'SIGKILL', `${index}`)
    const { signal, said } = await rotate()
    if (signal !== 'SIGKILL') throw new Error(`The rotation was not killed at "${subject}": ${said}`)
    await finished(rotate)
  }
  return steps.length
}

async function finished(rotate: () => ReturnType<OwnBerth['run']>): Promise<void> {
  const { code, said } = await rotate()
  if (code !== 0) throw new Error(`The rotation ended with ${code}: ${said}`)
}
