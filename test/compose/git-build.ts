import type { Api } from '../../scripts/demo/api.ts'
import { startGitServer } from '../support/git-server.ts'

const SERVER = `require('node:http').createServer((_, answer) => answer.end('built in the stack')).listen(process.env.PORT)
process.on('SIGTERM', () => process.exit(0))`

/** Builds a repository on this machine by the worker's own git, as a public one would be. Returns the environment. */
export async function buildRepository(api: Api, baseImage: string): Promise<{ appEnvId: string; host: string }> {
  const git = await startGitServer()
  try {
    git.commit('shop', {
      Dockerfile: `FROM ${baseImage}\nCOPY server.js /\nUSER node\nCMD ["node", "/server.js"]\n`,
      'server.js': SERVER,
    })
    const { accounts } = await api.get<{ accounts: { accountId: string }[] }>('/accounts')
    const accountId = accounts.at(-1)?.accountId
    const app = { accountId, name: 'shop', port: 3000, gitRepo: git.repository('shop') }
    const { appId } = (await api.post<{ appId: string }>('/app', app)).body
    const appEnv = { accountId, appId, name: 'production', region: 'local', branch: 'main' }
    const { appEnvId } = (await api.post<{ appEnvId: string }>('/app-env', appEnv)).body
    await api.post('/app-env/build', { appEnvId }, { prefer: 'wait=60' })
    const { status, latestDeployment } = await api.get<{ status: string; latestDeployment: { message: string } }>(
      `/app-env/status?appEnvId=${appEnvId}`,
    )
    if (status !== 'RUNNING') throw new Error(`The build ended ${status}: ${latestDeployment.message}`)
    const { hosts } = await api.get<{ hosts: string[] }>(`/app-env?appEnvId=${appEnvId}`)
    return { appEnvId, host: hosts[0] ?? '' }
  } finally {
    await git.close()
  }
}
