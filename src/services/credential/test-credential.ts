import { z } from 'zod'
import { command } from '../../calls/command.ts'
import { id } from '../../calls/input.ts'
import { DomainError, invalidField } from '../../domain/errors.ts'
import { registryOfLogin } from '../../domain/registry-login.ts'
import type { LoginVerdict } from '../../network/registries/try-login.ts'
import { lockCredential } from './credential-commands.ts'
import { testedCredentialAnswer } from './credential-fields.ts'
import { checkOf, tryCredential } from './try-credential.ts'

/** Asked of the data that the credential had then. */
interface Asked {
  version: number
  verdict: LoginVerdict
}

export const testCredential = command({
  name: 'testCredential',
  rest: { method: 'POST', path: '/credential/test', answer: testedCredentialAnswer },
  versioned: true,
  about:
    'Check at the registry of a credential whether it accepts the login. The result is returned, and stored in the credential as `checkedAt`.',
  input: z.strictObject({ credentialId: id('credential') }),
  permission: 'credential:manage',
  prepare: {
    on: ({ database }, { credentialId }) =>
      database.credential.findUnique({ where: { id: credentialId }, select: { accountId: true } }),
    async ask(tools, _caller, { credentialId }): Promise<Asked | DomainError | null> {
      const { database, vault } = tools
      const found = await database.credential.findUnique({ where: { id: credentialId }, include: { account: true } })
      if (!found) return null
      const data = vault.forAccount(found.account).openCredential(found.id, found.sealedData) as Record<string, string>
      const verdict = await tryCredential(tools, found.accountId, { type: found.type, data })
      if (verdict instanceof DomainError) return verdict
      return verdict && { version: found.version, verdict }
    },
  },
  async target({ tx }, { credentialId }) {
    const target = await lockCredential(tx, credentialId)
    if (target.credential.type !== 'CONTAINER_REGISTRY')
      throw invalidField('credentialId', 'must be a CONTAINER_REGISTRY credential: only registries can be asked')
    return target
  },
  async execute({ tx, announce, auditDetails, prepared }, { credentialId }, { credential }) {
    const { type, name } = credential
    const data = credential.publicData as Record<string, string>
    if (prepared instanceof DomainError) throw prepared
    const asked = prepared as Asked | null
    // What was asked about other data says nothing about this.
    const verdict: LoginVerdict =
      asked?.version === credential.version
        ? asked.verdict
        : { kind: 'unknown', why: asked ? 'was asked about data that was replaced meanwhile' : 'was not asked' }
    const { checkedAt } = await checkOf(tx, verdict, data)
    await tx.$executeRaw`UPDATE credential SET checked_at = ${checkedAt} WHERE id = ${credentialId}`
    announce({ type: 'credential.changed', payload: { credentialId, type, name } })
    const accepted = acceptedBy(verdict)
    auditDetails({ type, name, accepted })
    const message = `The registry ${registryOfLogin(data.registry)} ${wordsOf(verdict)}`
    return { credentialId, accepted, message, checkedAt: checkedAt?.toISOString() ?? null }
  },
})

/** Null where nothing is known. */
const acceptedBy = ({ kind }: LoginVerdict): boolean | null => (kind === 'unknown' ? null : kind === 'accepted')

function wordsOf(verdict: LoginVerdict): string {
  if (verdict.kind === 'accepted') return 'accepts the login'
  return verdict.kind === 'rejected' ? 'refuses the login' : verdict.why
}
