// node test/compose/prove.ts    starts the stack of docker-compose.yml with images made on this machine, deploys an
// app through it, and takes everything away again. Needs docker-compose, npm, apt and a Linux Docker Engine.
import { execFileSync, spawnSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import Docker from 'dockerode'
import { restApi, throughIngress } from '../../scripts/demo/api.ts'
import { deploy, ensureHello } from '../../scripts/demo/deploy-hello.ts'
import { stage } from '../../scripts/demo/stages.ts'
import { ensureSampleImage } from '../../scripts/sample-image.ts'
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

async function freePort(): Promise<number> {
  const probe = createServer()
  await new Promise<void>((resolve) => probe.listen(0, '127.0.0.1', resolve))
  const address = probe.address()
  await new Promise((resolve) => probe.close(resolve))
  return typeof address === 'object' && address ? address.port : 0
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
    const waiting = containers.filter(({ State, Status }) => State !== 'running' || /starting|unhealthy/.test(Status))
    if (containers.length === 5 && waiting.length === 0) return
    await sleep(500)
  }
  throw new Error(`Not every service was healthy within ${READY_TIMEOUT_MS / 1000} s`)
}

async function deployThrough(ports: Record<string, string>, token: string): Promise<string> {
  const image = await ensureSampleImage(docker, { offline: true })
  const api = restApi(`http://127.0.0.1:${ports.PORT}`, token)
  const appEnvId = await ensureHello(api, image)
  try {
    await deploy(api, appEnvId, image)
    const { hosts } = await api.get<{ hosts: string[] }>(`/app-env?appEnvId=${appEnvId}`)
    const front = { address: '127.0.0.1', port: Number(ports.HTTP_PORT) }
    const answer = await throughIngress(front, hosts[0] ?? '', '/')
    if (answer.status !== 200) throw new Error(`Caddy answered ${answer.status}: ${answer.text}`)
    return answer.text.trim()
  } finally {
    await removeApps(appEnvId)
  }
}

/** What Berth started outlives it, as it should; here it would be in the way of whoever comes next. */
async function removeApps(appEnvId: string): Promise<void> {
  const [replica] = await docker.listContainers({ all: true, filters: { label: [`berth.env=${appEnvId}`] } })
  const filters = { label: [`berth.installation=${replica?.Labels['berth.installation']}`] }
  const containers = await docker.listContainers({ all: true, filters })
  await Promise.all(containers.map(({ Id }) => docker.getContainer(Id).remove({ force: true })))
  const networks = await docker.listNetworks({ filters })
  await Promise.all(networks.map(({ Id }) => docker.getNetwork(Id).remove()))
}

async function main(): Promise<void> {
  const missing = missingTool()
  if (missing) return console.log(`Skipped: this machine has no "${missing}".`)
  const project = `berth-compose-${randomUUID().slice(0, 8)}`
  const entries = await Promise.all(PORTS.map(async (name) => [name, String(await freePort())]))
  const ports: Record<string, string> = Object.fromEntries(entries)
  const env = { ...process.env, ...IMAGES, ...ports }
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
  try {
    await stage('the stack starts and is healthy', async () => {
      compose('up', '--detach', '--no-build')
      await waitForAll(project)
    })
    const token = compose('exec', '-T', 'api', 'node', '-p', "fs.readFileSync('/data/admin-token', 'utf8')").trim()
    console.log(`    ${await stage('an app is deployed and answers through Caddy', () => deployThrough(ports, token))}`)
  } catch (error) {
    console.log(compose('logs', '--tail', '30'))
    throw error
  } finally {
    compose('down', '--volumes')
  }
}

try {
  await main()
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
}
