import { startGitHubUsers } from '../../support/github-users.ts'
import type { FreshBerth, TrustCase } from '../trust-case.ts'

const { settings } = await startGitHubUsers()
const GUESSES = 20

export const trustCase: TrustCase = {
  number: 9,
  title: 'Nobody uses a GitHub App installation without a proof that it is theirs',
  settings,
  async run(berth) {
    const [mallory, ada] = [await tenant(berth), await tenant(berth)]
    const guesses = Array.from({ length: GUESSES }, (_, at) => String(70 + at))
    for (const guess of guesses) await mallory.create(guess, 403)
    await mallory.connect({ userToken: 'token-of-bob' }, 403)
    await mallory.connect({ code: 'made-up' }, 400)
    await ada.connect({ code: 'code-of-ada' }, 200)
    await ada.create('77', 200)
    await mallory.create('77', 403)
    return `${GUESSES} of ${GUESSES} guessed numbers and 2 of 2 false proofs refused; the owner's proof accepted`
  },
}

async function tenant(berth: FreshBerth) {
  const { accountId } = await berth.ok('POST', '/account', { name: crypto.randomUUID() })
  const email = `${crypto.randomUUID()}@example.com`
  const member = await berth.ok('POST', '/account/member', { accountId, email, roles: ['TECHNICAL'] })
  const { token } = await berth.ok('POST', '/token', { kind: 'USER', name: 'Tenant', userId: member.userId })
  const post = async (path: string, body: object, wanted: number) => {
    const answer = await berth.rest('POST', path, { accountId, ...body }, { token: String(token) })
    if (answer.status !== wanted) throw new Error(`POST ${path} answered ${answer.text}, not ${wanted}`)
  }
  const git = { name: 'shop', port: 1, gitProvider: 'GITHUB', gitNamespace: 'acme', gitRepo: 'shop' }
  return {
    create: (gitInstallationId: string, wanted: number) => post('/app', { ...git, gitInstallationId }, wanted),
    connect: (proof: object, wanted: number) => post('/git-installation', { gitInstallationId: '77', proof }, wanted),
  }
}
