import { eventually } from '../worker/fixtures.ts'
import { awaitInvariants } from './harness/invariants.ts'
import type { Pass } from './harness/orders.ts'
import { proveOnTestCluster } from './harness/prove-on-test-cluster.ts'
import type { TestCluster } from './harness/test-cluster.ts'
import { END_SECONDS, type Log } from './kills.ts'

const INSTALL_SECONDS = 90

/** Answers with its name. A service without an open port has no PORT. */
const PROGRAM = `require('node:http').createServer((_, response) => response.end(process.env.NAME)).listen(Number(process.env.PORT ?? 3000))`

/** Three apps in a row, of which the middle one is a job: everything that an installation comes by. */
const composeOf = (image: string) => `
x-app: &app
  image: ${JSON.stringify(image)}
  expose: [3000]
services:
  store:
    <<: *app
    command: ["node", "-e", ${JSON.stringify(PROGRAM)}]
    environment: { NAME: store }
  seed:
    image: ${JSON.stringify(image)}
    command: ["node", "-e", "console.log('seeded')"]
    environment: { STORE: "http://store:3000" }
    depends_on: [store]
  web:
    <<: *app
    command: ["node", "-e", ${JSON.stringify(PROGRAM)}]
    environment: { NAME: web, STORE: "http://store:3000" }
    ports: ["80:3000"]
    depends_on:
      seed: { condition: service_completed_successfully }
`

interface Installed {
  installationId: string
  components: { key: string; appEnvId: string; appId: string }[]
}

export type Phase = 'install' | 'remove'

/** The commands of the two phases, which the API passes points of. */
const COMMANDS: Record<Phase, string> = { install: 'installCompose', remove: 'removeInstallation' }

export interface SolutionKill extends Omit<Pass, 'subject'> {
  phase: Phase
  /** A component, `request` or `installation`. */
  of: string
}

/**
 * SIGKILL of whoever passes each point of an installation and of its removal, one after another: the next worker
 * finishes it, with every component once, each after what it needs, and nothing left when it is removed.
 */
export async function killSolutions(
  cluster: TestCluster,
  { passesOfEach }: { passesOfEach: number },
  log: Log,
): Promise<{ kills: number; missed: number }> {
  const learnt: SolutionKill[] = []
  await runThrough(cluster, [], async (phase, installed) => {
    for (const { point, subject, pass } of cluster.orders.passes(() => true, passesOfEach)) {
      const of = subject === COMMANDS[phase] ? 'request' : nameOf(installed, subject)
      if (of !== undefined) learnt.push({ phase, of, point, pass })
    }
  })
  log(`${learnt.length} passes to be killed at`)
  const report = { kills: 0, missed: 0 }
  for (const kill of learnt) {
    const name = `${kill.phase} ${kill.of} @ ${kill.point}#${kill.pass}`
    try {
      if ((await runThrough(cluster, [kill])) === 1) report.kills += 1
      else report.missed += 1
      log(`✓ ${name}`)
    } catch (error) {
      cluster.orders.disarm()
      throw new Error(`${name}: ${error instanceof Error ? error.message : error}`)
    }
  }
  return report
}

const subjectsOf = ({ installationId, components }: Installed): [string, string][] => [
  ['installation', installationId],
  ...components.map(({ key, appEnvId }): [string, string] => [key, appEnvId]),
]

const nameOf = (installed: Installed, id: string) => subjectsOf(installed).find(([, subject]) => subject === id)?.[0]

/** One installation and its removal, with SIGKILL at a point of each; how many took place. */
export const killInstallation = (cluster: TestCluster, kills: readonly SolutionKill[]): Promise<number> =>
  runThrough(cluster, kills)

/** Installs, checks, removes and checks again; at most one kill in each of the two phases. How many took place. */
async function runThrough(
  cluster: TestCluster,
  kills: readonly SolutionKill[] = [],
  onPhase: (phase: Phase, installed: Installed) => Promise<void> = async () => {},
): Promise<number> {
  const arm = (phase: Phase, of: readonly [string, string][]) => {
    const kill = kills.find((one) => one.phase === phase)
    const subject = of.find(([name]) => name === kill?.of)?.[1]
    if (!kill || !subject) return
    const { point, pass } = kill
    cluster.orders.arm({ point, pass, subject }, 'SIGKILL', `${phase} ${subject} ${point} ${pass}`)
  }
  cluster.orders.forgetPasses()
  arm('install', [['request', COMMANDS.install]])
  const installed = await install(cluster)
  arm('install', subjectsOf(installed))
  await expectInstalled(cluster, installed)
  await onPhase('install', installed)
  const isFirstKilled = kills.some(({ phase }) => phase === 'install') && cluster.orders.disarm()
  cluster.orders.forgetPasses()
  arm('remove', [['request', COMMANDS.remove], ...subjectsOf(installed)])
  await cluster.ok('DELETE', `/solutions/installation?installationId=${installed.installationId}`)
  await expectRemoved(cluster, installed)
  await onPhase('remove', installed)
  const isSecondKilled = kills.some(({ phase }) => phase === 'remove') && cluster.orders.disarm()
  await Promise.all(cluster.processes.map((one) => one.ready()))
  return Number(isFirstKilled) + Number(isSecondKilled)
}

async function install(cluster: TestCluster): Promise<Installed> {
  const { accounts } = (await cluster.ok('GET', '/accounts')) as { accounts: { accountId: string }[] }
  const request = {
    accountId: accounts.at(-1)?.accountId,
    appName: 'Killed',
    region: 'local',
    compose: composeOf(cluster.image),
  }
  const { status, text, body } = await cluster.call('POST', '/solutions/compose', request, { prefer: 'wait=0' })
  if (status !== 200) throw new Error(`Installing was answered with ${status}: ${text}`)
  return body as unknown as Installed
}

interface Row {
  key: string
  state: string
  deployments: number
  runs: number
  begun: Date | null
  ended: Date | null
}

/** Everything once, and each component after what it depends on. */
async function expectInstalled(cluster: TestCluster, { installationId, components }: Installed): Promise<void> {
  const statusOf = async () => {
    const { rows } = await cluster.pool.query('SELECT status::text FROM solution_installation WHERE id = $1', [
      installationId,
    ])
    return String(rows[0]?.status)
  }
  const status = await eventually(statusOf, (found) => found !== 'INSTALLING', INSTALL_SECONDS)
  const { rows } = await cluster.pool.query<Row>(
    `SELECT c.key, c.state::text, count(DISTINCT o.id)::int AS deployments, count(DISTINCT r.id)::int AS runs,
        min(o.created_at) AS begun, greatest(max(o.finished_at), max(r.finished_at)) AS ended
      FROM solution_component c LEFT JOIN operation o ON o.app_env_id = c.app_env_id
        LEFT JOIN job_run r ON r.app_env_id = c.app_env_id
      WHERE c.installation_id = $1 GROUP BY c.key, c.state, c.position ORDER BY c.position`,
    [installationId],
  )
  const wrong = rows.filter(({ key, state, deployments, runs }) => {
    return state !== 'READY' || deployments !== 1 || runs !== (key === 'seed' ? 1 : 0)
  })
  const isInOrder = rows.every(({ begun }, at) => at === 0 || (begun ?? 0) >= (rows[at - 1]?.ended ?? 0))
  if (status !== 'INSTALLED' || rows.length !== components.length || wrong.length > 0 || !isInOrder)
    throw new Error(`The installation is ${status}: ${JSON.stringify(rows)}`)
  await awaitInvariants(cluster, END_SECONDS)
}

/** No container of it is left, and its removal has ended. */
async function expectRemoved(cluster: TestCluster, { components }: Installed): Promise<void> {
  const ids = components.map(({ appEnvId }) => appEnvId)
  const left = async () => {
    const { rows } = await cluster.pool.query<{ found: string }>(
      `SELECT id || ' ' || status AS found FROM operation WHERE app_env_id = ANY($1) AND status IN ('QUEUED', 'RUNNING')`,
      [ids],
    )
    const listed = await Promise.all(
      ids.map((id) => cluster.docker.listContainers({ all: true, filters: { label: [`berth.env=${id}`] } })),
    )
    return [...rows.map(({ found }) => found), ...listed.flat().map(({ Names }) => Names.join())]
  }
  await eventually(left, (found) => found.length === 0, INSTALL_SECONDS)
  await awaitInvariants(cluster, END_SECONDS)
}

/** All of it, on a cluster of its own. */
export const proveSolutionKills = (options: { passesOfEach: number }, log: Log): Promise<void> =>
  proveOnTestCluster(async (cluster) => {
    const { kills, missed } = await killSolutions(cluster, options, log)
    log(`${kills} workers killed, ${missed} points not passed again`)
    if (kills === 0) throw new Error('Nothing was killed')
  })
