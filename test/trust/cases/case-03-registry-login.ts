import { attackersRegistry } from '../support/attackers-registry.ts'
import { deployEnded, trustApp } from '../support/image-app.ts'
import { IMAGE_SETTINGS } from '../support/image-settings.ts'
import type { TrustCase } from '../trust-case.ts'

const PASSWORD = 'hunter2-of-the-account'

export const trustCase: TrustCase = {
  number: 3,
  title: 'A registry login goes to its registry only',
  settings: IMAGE_SETTINGS,
  async run(berth) {
    await using own = await attackersRegistry()
    await using other = await attackersRegistry()
    const app = await trustApp(berth, { login: { username: 'alice', password: PASSWORD, registry: own.address } })
    const { appEnvId } = app
    const { token } = await berth.ok('POST', '/token', { kind: 'ENVIRONMENT', appEnvId, name: 'deployer' })
    const { reason } = await deployEnded(berth, app, `${other.address}/x:1`, { token: String(token) })
    await deployEnded(berth, app, `${own.address}/x:1`, { token: String(token) })
    const seen = (logins: string[]) => logins.filter((login) => login.includes(PASSWORD)).length
    const leaked = seen(other.logins)
    if (leaked > 0) throw new Error(`The other registry received the password ${leaked} times`)
    if (other.requests.length === 0 || seen(own.logins) === 0) throw new Error('The registries were not asked')
    return `0 of ${other.requests.length} requests to another registry had the login (${reason}), ${seen(own.logins)} to its own`
  },
}
