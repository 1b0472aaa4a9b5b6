import { type BuildImages, ensureBuildImages } from '../support/build-images.ts'
import { startTestPlatform, type TestPlatform } from './platform.ts'

export interface BuiltApp {
  appId: string
  appEnvId: string
  host: string
}

interface EndedOperation {
  operationId: string
  appEnvId: string
  contentId: string
  status: string
  reason: string | null
  message: string | null
  steps: { name: string; detail: string | null }[]
}

export type BuildSite = ReturnType<typeof createBuildSite>

let apps = 0

/** A platform to build on, the base images that stand in for real ones, and quick ways to use both. */
export async function startBuildSite(settings: Record<string, string> = {}) {
  const berth = await startTestPlatform(settings)
  const images: BuildImages = await ensureBuildImages(berth.docker)
  return { berth, images, site: createBuildSite(berth) }
}

/** Quick ways to build apps on a test platform, through the public APIs. */
export function createBuildSite({ ok, platform }: TestPlatform) {
  async function createApp(fields: Record<string, unknown>, appEnvFields: Record<string, unknown> = {}) {
    const { accounts } = await ok<{ accounts: { accountId: string }[] }>('GET', '/accounts')
    const accountId = accounts.at(-1)?.accountId ?? ''
    apps += 1
    const app = { name: `built ${apps}`, accountId, port: 3000, ...fields }
    const { appId } = await ok<{ appId: string }>('POST', '/app', app)
    const appEnv = { accountId, appId, name: 'production', region: 'local', ...appEnvFields }
    const { appEnvId } = await ok<{ appEnvId: string }>('POST', '/app-env', appEnv)
    const { hosts } = await ok<{ hosts: string[] }>('GET', `/app-env?appEnvId=${appEnvId}`)
    return { appId, appEnvId, host: hosts[0] ?? '' }
  }

  /** The newest operation of an environment, once it has ended. */
  async function ended({ appEnvId }: BuiltApp, seconds = 200): Promise<EndedOperation> {
    const until = Date.now() + seconds * 1000
    for (;;) {
      const { operations } = await ok<{ operations: EndedOperation[] }>('GET', `/operations?appEnvId=${appEnvId}`)
      const newest = operations[0]
      if (newest && !['QUEUED', 'RUNNING'].includes(newest.status)) return newest
      if (Date.now() > until) throw new Error(`Not ended within ${seconds} s: ${JSON.stringify(newest)}`)
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
  }

  async function put(app: BuiltApp, archive: Buffer, fileExtension = '.tar.gz'): Promise<string> {
    const { uploadUrl, storageKey } = await ok<{ uploadUrl: string; storageKey: string }>(
      'POST',
      '/app-env/request-storage-key',
      { appEnvId: app.appEnvId, fileExtension },
    )
    const response = await fetch(uploadUrl, { method: 'PUT', body: new Uint8Array(archive) })
    if (!response.ok) throw new Error(`PUT answered ${response.status}: ${await response.text()}`)
    return storageKey
  }

  const build = async (app: BuiltApp, fields: Record<string, unknown> = {}) => {
    await ok('POST', '/app-env/build', { appEnvId: app.appEnvId, ...fields })
    return ended(app)
  }

  return {
    apiUrl: platform.apiUrl,
    createApp,
    ended,
    put,
    build,
    uploadedApp: (fields: Record<string, unknown> = {}, appEnvFields: Record<string, unknown> = {}) =>
      createApp({ isCliDeployment: true, ...fields }, appEnvFields),
    gitApp: (fields: Record<string, unknown> = {}, appEnvFields: Record<string, unknown> = {}) =>
      createApp(fields, { branch: 'main', ...appEnvFields }),
    /** Uploads, notifies, and waits for what comes of it. */
    async upload(app: BuiltApp, archive: Buffer, fileExtension = '.tar.gz'): Promise<EndedOperation> {
      const storageKey = await put(app, archive, fileExtension)
      await ok('POST', '/app-env/notify-code-upload', { appEnvId: app.appEnvId, storageKey })
      return ended(app)
    },
    /** What a build printed, oldest first. */
    async logOf({ appEnvId, contentId }: Pick<EndedOperation, 'appEnvId' | 'contentId'>): Promise<string[]> {
      const { logs } = await ok<{ logs: { message: string }[] }>(
        'GET',
        `/logs?type=BUILD&appEnvId=${appEnvId}&contentId=${contentId}&size=1000`,
      )
      return logs.map(({ message }) => message).reverse()
    },
  }
}
