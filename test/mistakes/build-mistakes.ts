import { startGitServer } from '../support/git-server.ts'
import { sourceOf } from '../support/source-archive.ts'
import { trustApp } from '../trust/support/image-app.ts'
import { statusMessage } from './deployment-mistakes.ts'
import type { Mistake } from './mistake.ts'

export const buildMistakes: Mistake[] = [
  {
    title: 'no Dockerfile',
    where: 'status',
    needsEngine: true,
    says: /no Dockerfile in the source, which holds server\.js\. Add one/,
    async make({ berth, begin }) {
      const { appEnvId } = await trustApp(berth, { app: { isCliDeployment: true } })
      const archive = await sourceOf({ 'server.js': 'console.log("hello")' })
      const request = { appEnvId, fileExtension: '.tar.gz' }
      const { uploadUrl, storageKey } = await berth.ok('POST', '/app-env/request-storage-key', request)
      await fetch(String(uploadUrl), { method: 'PUT', body: new Uint8Array(archive) })
      begin()
      await berth.ok('POST', '/app-env/notify-code-upload', { appEnvId, storageKey })
      return () => statusMessage(berth, appEnvId)
    },
  },
  {
    title: 'wrong branch',
    where: 'status',
    needsEngine: true,
    says: /no branch mian; it has main/,
    async make({ berth, begin, undo }) {
      const git = await startGitServer()
      undo.defer(() => git.close())
      git.commit('shop', { Dockerfile: 'FROM scratch\n' })
      const { appEnvId } = await trustApp(berth, {
        app: { gitRepo: git.repository('shop') },
        appEnv: { branch: 'mian' },
      })
      begin()
      await berth.ok('POST', '/app-env/build', { appEnvId })
      return () => statusMessage(berth, appEnvId)
    },
  },
]
