import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { BuildImages } from '../support/build-images.ts'
import { sourceOf } from '../support/source-archive.ts'
import { type BuildSite, startBuildSite } from './build-site.ts'
import { ask } from './clients.ts'
import type { TestPlatform } from './platform.ts'

// A client that deploys from CI with the token of one environment, as such clients are published: plain HTTP, and
// nothing of Berth's own. Its requests are in docs/compatibility.md.

let berth: TestPlatform
let images: BuildImages
let site: BuildSite

beforeAll(async () => {
  ;({ berth, images, site } = await startBuildSite())
})

afterAll(() => berth?.stop())

interface Latest {
  isSuccess: boolean
  isFailed: boolean
  version: number
  contentId: string
  gitCommitId: string | null
  status: string
  statusLabel: string
}

function uploadClient(apiUrl: string, token: string, envName: string) {
  const v1 = async (method: string, path: string, body?: object) => {
    const response = await fetch(`${apiUrl}/api/public/v1${path}`, {
      method,
      headers: { Authorization: token, 'Content-Type': 'application/json' },
      ...(body ? { body: JSON.stringify(body) } : {}),
    })
    if (response.status !== 200) throw new Error(`${path} answered ${response.status}: ${await response.text()}`)
    return response.json()
  }

  async function poll(pauseMs: number): Promise<{ status: string; latestDeployment: Latest }> {
    for (;;) {
      const answer = await v1('GET', `/app-env/status?envName=${envName}`)
      if (answer.latestDeployment?.isSuccess || answer.latestDeployment?.isFailed) return answer
      await sleep(pauseMs)
    }
  }

  return {
    /** Everything from the archive to the end of its deployment. */
    async deploy(archive: Buffer) {
      const key = await v1('POST', '/app-env/request-storage-key', { envName, fileExtension: 'tgz' })
      const put = await fetch(key.uploadUrl, {
        method: 'PUT',
        headers: { 'Content-Type': 'application/x-gzip' },
        body: new Uint8Array(archive),
      })
      expect(put.status).toBe(200)
      const event = await v1('POST', '/app-env/upload-storage-event', { envName, storageKey: key.storageKey })
      expect(event).toMatchObject({ success: true, appEnv: { status: 'UPDATING' } })
      return { envUrl: key.envUrl as string, ...(await poll(200)) }
    },
    logs: (contentId: string) => v1('GET', `/logs?envName=${envName}&type=BUILD&contentId=${contentId}`),
  }
}

const SERVER = `require('node:http').createServer((q, r) => r.end('deployed from CI')).listen(process.env.PORT)
process.on('SIGTERM', () => process.exit(0))`

test('an archive is uploaded, built and RUNNING, with an environment token alone', async () => {
  const app = await site.uploadedApp()
  const { cliEnvName: envName } = await berth.ok<{ cliEnvName: string }>('GET', `/app-env?appEnvId=${app.appEnvId}`)
  const secret = { kind: 'ENVIRONMENT', name: 'ci', appEnvId: app.appEnvId }
  const { token } = await berth.ok<{ token: string }>('POST', '/token', secret)
  const client = uploadClient(site.apiUrl ?? '', token, envName)
  const dockerfile = `FROM ${images.node}\nCOPY server.js /app/\nUSER node\nCMD ["node", "/app/server.js"]\n`
  const archive = await sourceOf({ Dockerfile: dockerfile, 'server.js': SERVER })

  const first = await client.deploy(archive)
  expect(first).toMatchObject({
    status: 'RUNNING',
    latestDeployment: { isSuccess: true, version: 1, gitCommitId: null, status: 'DEPLOYED', statusLabel: 'Deployed' },
  })
  expect(new URL(first.envUrl)).toMatchObject({ protocol: 'http:', hostname: app.host })
  await expect
    .poll(() => ask(berth.platform.ingressUrl ?? '', app.host))
    .toEqual({ status: 200, body: 'deployed from CI' })

  const again = await client.deploy(archive)
  expect(again).toMatchObject({ status: 'RUNNING', latestDeployment: { isSuccess: true, version: 2 } })
  const digests = await berth.database.content.findMany({ where: { appEnvId: app.appEnvId } })
  expect(new Set(digests.map(({ imageDigest }) => imageDigest)).size).toBe(1)
  const { logs } = await client.logs(again.latestDeployment.contentId)
  expect(logs.map(({ message }: { message: string }) => message).join('\n')).toContain('nothing has changed since')
})
