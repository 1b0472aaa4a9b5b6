import { isRegistryInstalled, REGISTRY_CREDENTIAL, startRegistry } from '../../support/docker-registry.ts'
import { ensureTestImage } from '../../support/test-image.ts'
import { attackersRegistry, passOn } from '../support/attackers-registry.ts'
import { deployEnded, type EndedOperation, trustApp } from '../support/image-app.ts'
import { IMAGE_SETTINGS } from '../support/image-settings.ts'
import type { FreshBerth, TrustCase } from '../trust-case.ts'

export const trustCase: TrustCase = {
  number: 4,
  title: 'A copy on the engine serves the account that pulled it',
  settings: IMAGE_SETTINGS,
  async run(berth) {
    if (!(await isRegistryInstalled()))
      throw new Error('Needs docker-registry (Debian: apt-get install docker-registry)')
    await using registry = await startRegistry()
    let state: 'up' | 'away' | 'busy' = 'up'
    await using front = await attackersRegistry((request, response) => {
      if (state === 'up') passOn(registry.address, request, response)
      else if (state === 'away') response.destroy()
      else response.writeHead(429, { 'retry-after': '2' }).end('{"errors":[{"code":"TOOMANYREQUESTS"}]}')
    })
    const image = await publish(berth, front.address)
    try {
      const login = { ...REGISTRY_CREDENTIAL, registry: front.address }
      const [owner, stranger] = [await trustApp(berth, { login }), await trustApp(berth)]
      // A login that the registry refuses is not saved; one that it could not be asked about is.
      state = 'away'
      const guest = await trustApp(berth, { login: { ...login, password: 'wrong' } })
      state = 'up'
      const outcomes: string[] = []
      const deploy = async (who: string, app: typeof owner, wanted: EndedOperation['status']) => {
        const { status, reason } = await deployEnded(berth, app, image)
        if (status !== wanted) throw new Error(`${who} with the registry ${state}: ${status} ${reason}`)
        outcomes.push(`${who} ${state}: ${reason ?? status}`)
      }
      await deploy('owner', owner, 'SUCCEEDED')
      for (state of ['up', 'away', 'busy'] as const) {
        await deploy('stranger', stranger, 'FAILED')
        await deploy('wrong login', guest, 'FAILED')
      }
      await deploy('owner', owner, 'FAILED')
      state = 'away'
      await deploy('owner', owner, 'SUCCEEDED')
      return outcomes.join(', ')
    } finally {
      state = 'up'
      await berth.docker
        .getImage(image)
        .remove({ force: true })
        .catch(() => {})
    }
  },
}

/** The sample image under the registry's name, which the engine then lacks. */
async function publish({ docker }: FreshBerth, address: string): Promise<string> {
  const repo = `${address}/team/private`
  await docker.getImage(await ensureTestImage(docker)).tag({ repo, tag: '1' })
  const authconfig = { ...REGISTRY_CREDENTIAL, serveraddress: address }
  const progress = await docker.getImage(`${repo}:1`).push({ authconfig })
  for await (const _step of progress);
  await docker.getImage(`${repo}:1`).remove()
  return `${repo}:1`
}
