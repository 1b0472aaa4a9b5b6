import type Docker from 'dockerode'
import { type BenchPlatform, servingContainer } from './platform.ts'

/** A PostgreSQL that Berth runs, with its default settings and as many cores as the most that a client could use of it. */
export async function createPostgres(berth: BenchPlatform): Promise<string> {
  const { accounts } = (await berth.get('/accounts')) as { accounts: { accountId: string }[] }
  const accountId = accounts[0]?.accountId
  const { appId } = await berth.post('/app', { name: 'Bench', accountId, dockerPreset: 'POSTGRESQL' })
  const body = { accountId, appId, name: 'production', region: 'local', zClouds: 2 }
  const { appEnvId } = await berth.post('/app-env', body, { prefer: 'wait=120' })
  return String(appEnvId)
}

/** Its connection URL by the container's own address, past every port of the ingress. */
export async function directUrl(berth: BenchPlatform, docker: Docker, appEnvId: string): Promise<URL> {
  const { internalUrl } = (await berth.get(`/app-env/credentials?appEnvId=${appEnvId}`)) as { internalUrl: string }
  const { NetworkSettings } = await docker.getContainer(await servingContainer(docker, appEnvId)).inspect()
  const [network] = Object.values(NetworkSettings.Networks)
  const url = new URL(internalUrl)
  url.hostname = network?.IPAddress ?? ''
  return url
}
