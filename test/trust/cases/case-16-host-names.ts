import type { FreshBerth, TrustCase } from '../trust-case.ts'

export const trustCase: TrustCase = {
  number: 16,
  title: 'Automatic hosts name one account only, and do not pass to another at once',
  async run(berth) {
    const [short, long] = [await accountOf(berth, 'q'), await accountOf(berth, 'q r')]
    const first = await envOf(berth, short, 'r s')
    const second = await envOf(berth, long, 's')
    if (first.host === second.host) throw new Error(`Both accounts have ${first.host}`)
    if (second.host.startsWith('q-')) throw new Error(`${second.host} reads as a host of the account q`)
    await berth.ok('DELETE', `/app-env?appEnvId=${first.appEnvId}`, undefined, { headers: { prefer: 'wait=60' } })

    const claim = { appEnvId: second.appEnvId, host: first.host }
    const claimed = await berth.rest('POST', '/app-env/host', claim)
    if (claimed.status !== 400) throw new Error(`Another account's claim of ${first.host} got ${claimed.status}`)
    const same = await createEnv(berth, short, first.appId, 'prod')
    if (same.host !== first.host) throw new Error(`Its own account got ${same.host} and not ${first.host} again`)
    return `${first.host} and ${second.host}; given up, refused to another account (${claimed.status}), given back to its own`
  },
}

const accountOf = async ({ ok }: FreshBerth, name: string) => String((await ok('POST', '/account', { name })).accountId)

async function envOf(berth: FreshBerth, accountId: string, name: string, env = 'prod') {
  const app = { name, accountId, port: 80, useImage: true, image: 'nginx:1' }
  const { appId } = await berth.ok('POST', '/app', app)
  return createEnv(berth, accountId, String(appId), env)
}

async function createEnv({ ok }: FreshBerth, accountId: string, appId: string, name: string) {
  const { appEnvId } = await ok('POST', '/app-env', { name, appId, accountId, region: 'local' })
  const { hosts } = (await ok('GET', `/app-env?appEnvId=${appEnvId}`)) as { hosts: string[] }
  return { appId, appEnvId: String(appEnvId), host: hosts[0] ?? '' }
}
