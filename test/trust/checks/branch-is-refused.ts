import { trustApp } from '../support/image-app.ts'
import type { FreshBerth } from '../trust-case.ts'

const OPTION = '--upload-pack=touch /tmp/berth-pwned'
const HOSTILE = [
  OPTION,
  '-f',
  '../main',
  'main:refs/heads/x',
  'main; touch x',
  'main@{1}',
  'a\nb',
  'x.lock',
  'x..y',
  '.x',
]

/** A branch that is an option of git is refused by the request that names it, with the field. */
export async function branchIsRefused(berth: FreshBerth): Promise<string> {
  const { accountId, appEnvId } = await trustApp(berth)
  const { appId } = await berth.ok('GET', `/app-env?appEnvId=${appEnvId}`)
  let refused = 0
  for (const branch of HOSTILE) {
    const created = { accountId, appId, name: `env ${refused}`, region: 'local', branch }
    for (const [method, path, body, field] of [
      ['POST', '/app-env', created, 'branch'],
      ['PATCH', '/app-env/branch', { appEnvId, gitBranch: branch }, 'gitBranch'],
    ] as const) {
      const { status, text } = await berth.rest(method, path, body)
      if (status !== 400 || !text.includes(`"${field}"`)) throw new Error(`${path} took ${branch}: ${status} ${text}`)
      refused += 1
    }
  }
  return `${refused} of ${refused} branch names refused at the request`
}
