import type Docker from 'dockerode'
import { findEngine } from '../../../src/app-types/engines/engines.ts'
import { findSolution } from '../../../src/solutions/solutions.ts'
import { ensureEngineImages } from '../../support/engines/ensure-image.ts'
import { ensureProgramImage } from '../../support/solution-images/ensure-program-image.ts'
import { PROGRAM_IMAGES } from '../../support/solution-images/list.ts'
import { eventually } from '../../worker/fixtures.ts'
import { expectAnswer, type Story, type Visit } from './story.ts'
import { visit as visitHost } from './visit.ts'

const WAIT = { prefer: 'wait=120' }
const INSTALL_SECONDS = 420

/** What a story is told in: a platform of one process, or of several. */
export interface Scene {
  docker: Docker
  ingressUrl: string
  /** A REST call that must succeed; its body. */
  ok(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<unknown>
  /** Volumes of environments that are not deleted. */
  volumesOf(appEnvIds: readonly string[]): Promise<number>
}

interface Installed {
  installationId: string
  components: { key: string; appId: string; appEnvId: string }[]
}

interface Outcome {
  success: boolean
  message: string
}

interface Installation {
  status: string
  components: { key: string; state: string; reason: string | null; message: string | null }[]
}

/**
 * A solution from its installation to its removal: ready, its smoke test through the ingress, something real, the same
 * after everything was redeployed, and nothing left but volumes.
 */
export async function tellStory(scene: Scene, story: Story, log: (line: string) => void = () => {}): Promise<void> {
  const since = performance.now()
  const say = (line: string) => log(`${story.slug}: ${line} (${((performance.now() - since) / 1000).toFixed(0)} s)`)
  await prepare(scene, story)
  say('images are there')
  const { accounts } = (await scene.ok('GET', '/accounts')) as { accounts: { accountId: string }[] }
  const accountId = accounts.at(-1)?.accountId ?? ''
  const request = { accountId, solutionSlug: story.slug, appName: 'Proved', region: 'local', inputs: story.inputs }
  const installed = (await scene.ok('POST', '/solutions', request, WAIT)) as Installed
  const read = () => scene.ok('GET', `/solutions/installation?installationId=${installed.installationId}`)
  const state = await eventually(
    async () => (await read()) as Installation,
    ({ status }) => status !== 'INSTALLING',
    INSTALL_SECONDS,
  )
  const unready = state.components.filter((one) => one.state !== 'READY')
  if (state.status !== 'INSTALLED' || unready.length > 0) throw new Error(`It is ${JSON.stringify(state)}`)
  say(`installed, ${state.components.length} components READY`)
  const visit = await visitOf(scene, installed)
  await smokeTest(story, visit)
  await story.act(visit)
  say('smoke test and action')
  for (const { appEnvId } of installed.components) {
    const { success, message } = (await scene.ok('POST', '/app-env/redeploy', { appEnvId }, WAIT)) as Outcome
    if (!success) throw new Error(`Redeploying: ${message}`)
  }
  await story.verify(visit)
  say('the same after redeploying everything')
  await remove(scene, installed)
  say('removed')
}

async function prepare({ docker }: Scene, { programs, engines }: Story): Promise<void> {
  for (const name of engines) {
    const engine = findEngine(name)
    if (!engine || !(await ensureEngineImages(docker, engine))) throw new Error(`There is no image of ${name}`)
  }
  for (const name of programs) {
    const image = PROGRAM_IMAGES.find((one) => one.name === name)
    if (!image) throw new Error(`There is no stand-in ${name}`)
    await ensureProgramImage(docker, image)
  }
}

async function visitOf(scene: Scene, { components }: Installed): Promise<Visit> {
  const hosts = new Map<string, string>()
  for (const { key, appEnvId } of components) {
    const found = (await scene.ok('GET', `/app-env?appEnvId=${appEnvId}`)) as { hosts?: string[] }
    if (found.hosts?.[0]) hosts.set(key, found.hosts[0])
  }
  return (component, path, request) => visitHost(scene.ingressUrl, hosts.get(component) ?? '', path, request)
}

async function smokeTest({ slug }: Story, visit: Visit): Promise<void> {
  const declared = findSolution(slug)?.smokeTest
  if (!declared) throw new Error(`There is no solution ${slug}`)
  const { component, path, status, contains } = declared
  expectAnswer(await visit(component, path), status, contains)
}

/** No container is left, and every volume is. */
async function remove({ ok, docker, volumesOf }: Scene, { installationId, components }: Installed): Promise<void> {
  const ids = components.map(({ appEnvId }) => appEnvId)
  const volumes = await volumesOf(ids)
  await ok('DELETE', `/solutions/installation?installationId=${installationId}`, undefined, WAIT)
  const left = async () => {
    const found = await Promise.all(
      ids.map((id) => docker.listContainers({ all: true, filters: { label: [`berth.env=${id}`] } })),
    )
    return found.flat().map(({ Names }) => Names)
  }
  await eventually(left, (found) => found.length === 0)
  const kept = await volumesOf(ids)
  if (kept !== volumes) throw new Error(`${kept} of ${volumes} volumes are left`)
}
