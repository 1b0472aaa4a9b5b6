// npm run demo              deploys examples/hello end to end and leaves Berth running
// npm run demo -- --exit    the same, and stops Berth again if it was not running before (also with CI=true)
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import Docker from 'dockerode'
import { type Config, readConfig } from '../src/config/config.ts'
import { connectable, ingressHost, urlHost } from '../src/domain/listen-address.ts'
import { restApi, throughIngress } from './demo/api.ts'
import { ensureBerth } from './demo/berth-process.ts'
import { deploy, ensureHello } from './demo/deploy-hello.ts'
import { stage } from './demo/stages.ts'
import { ensureSampleImage } from './sample-image.ts'

function adminToken(config: Config, address: string): string {
  const file = join(config.BERTH_DATA_DIR, 'admin-token')
  if (config.BERTH_ADMIN_TOKEN) return config.BERTH_ADMIN_TOKEN
  if (existsSync(file)) return readFileSync(file, 'utf8').trim()
  throw new Error(
    `Berth runs at ${address} with another data directory: set BERTH_DATA_DIR to it, or BERTH_ADMIN_TOKEN to its token`,
  )
}

/** Only browsers and curl resolve names below localhost on every system. */
const whereLocalhostFails = (address: string, host: string) =>
  `  Browsers and curl resolve that name. For wget, Python and fetch of Node, ask http://${address.replace('::1', '[::1]')}/\n` +
  `  with the header "Host: ${host}", or set BERTH_EXTRA_DOMAINS=127.0.0.1.sslip.io.`

async function main(): Promise<number> {
  const startedAt = performance.now()
  const config = readConfig(process.env)
  if (config.PORT === 0 || config.INGRESS_PORT === 0) {
    throw new Error('The demo needs fixed ports: set PORT and INGRESS_PORT to ports other than 0.')
  }
  const address = `http://${urlHost(connectable(config.HOST))}:${config.PORT}`
  console.log('Berth demo: examples/hello, from its source to an answer through the ingress\n')
  const image = await stage('build the sample image', () => ensureSampleImage(new Docker()))
  const berth = await stage('start Berth, or find it running', () => ensureBerth(address))
  try {
    const api = restApi(address, adminToken(config, address))
    const appEnvId = await stage('create the app and its environment', () => ensureHello(api, image))
    await stage('deploy the image', () => deploy(api, appEnvId, image))
    const { hosts, url } = await api.get<{ hosts: string[]; url: string }>(`/app-env?appEnvId=${appEnvId}`)
    const name = hosts[0] ?? ''
    const ingress = { address: connectable(ingressHost(config)), port: config.INGRESS_PORT }
    const answer = await stage('ask the app through the ingress', () => throughIngress(ingress, name, '/'))
    if (answer.status !== 200) throw new Error(`The ingress answered ${answer.status}: ${answer.text}`)
    console.log(`\n  200 ${answer.text.trim()}`)
    console.log(`  It answers at ${url}/`)
    if (name.endsWith('.localhost')) console.log(whereLocalhostFails(`${ingress.address}:${ingress.port}`, name))
    console.log(`  Done in ${((performance.now() - startedAt) / 1000).toFixed(1)} s.\n`)
  } catch (error) {
    await berth.stop()
    throw error
  }
  if (!berth.isOurs) return 0
  if (process.argv.includes('--exit') || process.env.CI) {
    await berth.stop()
    return 0
  }
  console.log(
    `Berth keeps running at ${address} (GraphiQL: ${address}/graphql, docs: ${address}/docs). Ctrl-C stops it.\n`,
  )
  return berth.handOver()
}

try {
  process.exitCode = await main()
} catch (error) {
  console.error(`\n${error instanceof Error ? error.message : error}`)
  process.exitCode = 1
}
