import { attackersRegistry } from '../support/attackers-registry.ts'
import { deployEnded, trustApp } from '../support/image-app.ts'
import { IMAGE_SETTINGS } from '../support/image-settings.ts'
import type { TrustCase } from '../trust-case.ts'

const SECRET = 'iam-credentials-of-the-machine'

export const trustCase: TrustCase = {
  number: 8,
  title: 'Registries and their token services are at public addresses',
  settings: IMAGE_SETTINGS,
  async run(berth) {
    await using inside = await attackersRegistry((_request, response) => void response.end(SECRET), '127.0.0.1')
    const port = inside.address.split(':')[1]
    const realm = `Bearer realm="http://${inside.address}/latest/meta-data",service="x"`
    await using sending = await attackersRegistry(
      (_request, response) => void response.writeHead(401, { 'www-authenticate': realm }).end(),
    )
    await using telling = await attackersRegistry((_request, response) => {
      response.writeHead(403, { 'content-type': 'application/json' })
      response.end(JSON.stringify({ errors: [{ code: 'DENIED', message: SECRET }], detail: SECRET }))
    })
    const addresses = [inside.address, `localhost:${port}`, `127.1:${port}`, `2130706433:${port}`, '169.254.169.254']
    const app = await trustApp(berth)
    const reasons: (string | null)[] = []
    for (const address of [...addresses, '10.0.0.1:80', sending.address, telling.address]) {
      const { status, reason, message } = await deployEnded(berth, app, `${address}/latest/meta-data:1`)
      if (status !== 'FAILED') throw new Error(`${address} ended as ${status}`)
      if (message?.includes(SECRET)) throw new Error(`${address} is quoted: ${message}`)
      if (address !== telling.address && reason !== 'REGISTRY_REFUSED')
        throw new Error(`${address}: ${reason} ${message}`)
      reasons.push(reason)
    }
    if (inside.requests.length > 0) throw new Error(`The machine itself was asked: ${inside.requests}`)
    return `0 requests arrived of ${reasons.length} deployments; ${reasons.filter((one) => one === 'REGISTRY_REFUSED').length} refused by address, 0 bytes quoted`
  },
}
