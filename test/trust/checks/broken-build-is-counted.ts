import { ensureBuildImages } from '../../support/build-images.ts'
import { ENGINE_SOCKET } from '../../support/docker-harness.ts'
import { engineProxy } from '../../support/engine-proxy.ts'
import { startFreshBerth } from '../fresh-berth.ts'
import { ended, trustApp } from '../support/image-app.ts'
import type { FreshBerth } from '../trust-case.ts'

const ATTEMPTS = 2

/** An engine that hangs up in the middle of a build, and answers everything else, is not away. */
export async function brokenBuildIsCounted({ docker }: FreshBerth): Promise<string> {
  const { node } = await ensureBuildImages(docker)
  await using proxy = await engineProxy(ENGINE_SOCKET, { only: /POST \/build/, kind: 'hangUp' })
  const settings = {
    DOCKER_HOST: proxy.host,
    BERTH_OPERATION_ATTEMPTS: String(ATTEMPTS),
    // Of its own call: a builder apart is spoken to by others.
    BERTH_BUILDER: 'engine',
  }
  const { berth, close } = await startFreshBerth(settings)
  try {
    const content = { customDockerfileContent: `FROM ${node}\nCMD ["true"]\n`, isCliDeployment: false }
    const { appEnvId } = await trustApp(berth, { app: content })
    const since = performance.now()
    await berth.ok('POST', '/app-env/build', { appEnvId })
    const { status, reason, message } = await ended(berth, appEnvId)
    const builds = proxy.requests.filter((request) => request.startsWith('POST /build')).length
    if (status !== 'FAILED' || builds !== ATTEMPTS)
      throw new Error(`${status} ${reason} ${message} after ${builds} builds`)
    return `a build whose connection the engine drops ended after ${builds} attempts in ${Math.round(performance.now() - since)} ms: ${message}`
  } finally {
    await close()
  }
}
