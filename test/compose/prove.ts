// npm run prove -- compose    starts the stack of docker-compose.yml with images made on this machine, deploys an
// app through it, and takes everything away again. Needs docker-compose, npm, apt and a Linux Docker Engine.
import { execFileSync, spawnSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import Docker from 'dockerode'
import { type Api, restApi, throughIngress } from '../../scripts/demo/api.ts'
import { deploy, ensureHello } from '../../scripts/demo/deploy-hello.ts'
import { stage } from '../../scripts/demo/stages.ts'
import { ensureSampleImage } from '../../scripts/sample-image.ts'
import { startDnsServer } from '../support/dns-server.ts'
import { freePort, releaseClaim } from '../support/free-ports.ts'
import { removeEverything } from '../support/remove-everything.ts'
import { visitCustomHost } from './custom-host.ts'
import { buildRepository } from './git-build.ts'
import { caddyImage, nodeImage, postgresImage } from './stand-ins.ts'

const ROOT = join(import.meta.dirname, '../..')
const IMAGES = {
  BASE_IMAGE: 'berth-compose-node:local',
  POSTGRES_IMAGE: 'berth-compose-postgres:local',
  CADDY_IMAGE: 'berth-compose-caddy:local',
  BERTH_IMAGE: 'berth-compose:local',
}
const PORTS = ['PORT', 'INGRESS_PORT', 'POSTGRES_PORT', 'HTTP_PORT', 'HTTPS_PORT']
const READY_TIMEOUT_MS = 120_000

const docker = new Docker()

function missingTool(): string | null {
  const hasTool = (name: string) => spawnSync('which', [name]).status === 0
  return ['docker', 'docker-compose', 'npm', 'apt-get', 'dpkg-deb', 'ldd'].find((name) => !hasTool(name)) ?? null
}

async function buildImages(): Promise<void> {
  await nodeImage(docker, IMAGES.BASE_IMAGE)
  await postgresImage(docker, IMAGES.POSTGRES_IMAGE)
  await caddyImage(docker, IMAGES.CADDY_IMAGE)
}

/** On the host's network, because a registry may be reachable only by what this machine's /etc/hosts says. */
function buildBerth(): void {
  const args = [
    'build',
    '--network',
    'host',
    '--build-arg',
    `BASE_IMAGE=${IMAGES.BASE_IMAGE}`,
    '-t',
    IMAGES.BERTH_IMAGE,
  ]
  execFileSync('docker', [...args, ROOT], { stdio: ['ignore', 'pipe', 'pipe'] })
}

async function waitForAll(project: string): Promise<void> {
  const filters = { label: [`com.docker.compose.project=${project}`] }
  const deadline = Date.now() + READY_TIMEOUT_MS
  while (Date.now() < deadline) {
    const containers = await docker.listContainers({ all: true, filters })
    // Two run once, before the others.
    const done = containers.filter(({ Status }) => /^Exited \(0\)/.test(Status))
    const ready = containers.filter(({ State, Status }) => State === 'running' && !/starting|unhealthy/.test(Status))
    if (done.length === 2 && ready.length === 5) return
    await sleep(500)
  }
  throw new Error(`Not every service was healthy within ${READY_TIMEOUT_MS / 1000} s`)
}

interface Stack {
  api: Api
  ports: Record<string, string>
  records: Map<string, string>
}

async function assertAnswers({ ports }: Stack, host: string): Promise<string> {
  const front = { address: '127.0.0.1', port: Number(ports.HTTP_PORT) }
  const answer = await throughIngress(front, host, '/')
  if (answer.status !== 200) throw new Error(`Caddy answered ${answer.status}: ${answer.text}`)
  return answer.text.trim()
}

/** What a user would do with it. Returns the installation, whose containers outlive the stack. */
async function useStack(stack: Stack): Promise<string | null> {
  const { api, ports, records } = stack
  const image = await ensureSampleImage(docker, { offline: true })
  const appEnvId = await ensureHello(api, image)
  const deployed = await stage('an app is deployed and answers through Caddy', async () => {
    await deploy(api, appEnvId, image)
    const { hosts } = await api.get<{ hosts: string[] }>(`/app-env?appEnvId=${appEnvId}`)
    return assertAnswers(stack, hosts[0] ?? '')
  })
  console.log(`    ${deployed}`)
  const httpsPort = Number(ports.HTTPS_PORT)
  const visited = await stage('a custom host gets a certificate at its first visit, and no other name does', () =>
    visitCustomHost(api, appEnvId, { records, httpsPort }),
  )
  console.log(`    ${visited}`)
  const built = await stage('a git repository is built, and answers', async () => {
    const { host } = await buildRepository(api, image)
    return assertAnswers(stack, host)
  })
  console.log(`    ${built}`)
  return installationOf(appEnvId)
}

/** Whose the containers are that were deployed; null when none was. */
async function installationOf(appEnvId: string): Promise<string | null> {
  const [replica] = await docker.listContainers({ all: true, filters: { label: [`berth.env=${appEnvId}`] } })
  return replica?.Labels['berth.installation'] ?? null
}

async function main(): Promise<void> {
  const missing = missingTool()
  if (missing) return console.log(`Skipped: this machine has no "${missing}".`)
  const project = `berth-compose-${randomUUID().slice(0, 8)}`
  const entries = await Promise.all(PORTS.map(async (name) => [name, String(await freePort())]))
  const ports: Record<string, string> = Object.fromEntries(entries)
  // Caddy serves HTTP/3 on it, too.
  await releaseClaim(Number(ports.HTTPS_PORT))
  const settings = {
    BERTH_DNS_SERVERS: dns.address,
    BERTH_GIT_PRIVATE_HOSTS: 'true',
    // No other authority can be reached from here.
    CADDY_GLOBAL_OPTIONS: 'local_certs',
  }
  const env = { ...process.env, ...IMAGES, ...ports, ...settings }
  const compose = (...args: string[]) =>
    execFileSync('docker-compose', ['--project-name', project, ...args], {
      cwd: ROOT,
      env,
      encoding: 'utf8',
      stdio: 'pipe',
    })

  await stage('the configuration is valid', async () => compose('config', '--quiet'))
  await stage('images of this machine stand in for those of the registry', buildImages)
  await stage('the image is built', async () => buildBerth())
  let installationId: string | null = null
  try {
    await stage('the stack starts and is healthy', async () => {
      compose('up', '--detach', '--no-build')
      await waitForAll(project)
    })
    const token = compose('exec', '-T', 'api', 'node', '-p', "fs.readFileSync('/data/admin-token', 'utf8')").trim()
    installationId = await useStack({ api: restApi(`http://127.0.0.1:${ports.PORT}`, token), ports, records })
  } catch (error) {
    console.log(compose('logs', '--tail', '30'))
    throw error
  } finally {
    compose('down', '--volumes')
    // A worker that is still there would bring them back.
    if (installationId) await removeEverything(docker, installationId)
  }
}

const records = new Map<string, string>()
const dns = await startDnsServer(records)
try {
  await main()
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
} finally {
  await dns.close()
}
