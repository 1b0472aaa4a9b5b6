import { z } from 'zod'
import { type FieldProblem, invalidInput } from '../../domain/errors.ts'
import { registryOfLogin } from '../../domain/registry-login.ts'
import { credentialText } from '../credential/credential-data.ts'

/** The login of a container registry, as older clients send it with a new account. */
export const registryFields = {
  registryServer: credentialText('Host or address of a container registry, such as ghcr.io.').optional(),
  registryUsername: credentialText('User name at the registry.').optional(),
  registryPassword: credentialText('Password at the registry, or a token in its place; stored encrypted.').optional(),
  registryEmail: z.email().max(254).optional().describe('E-mail address of the user at the registry.'),
}

type Sent = { [Name in keyof typeof registryFields]?: string | undefined }

const REQUIRED = ['registryServer', 'registryUsername', 'registryPassword'] as const

/** The credential to create for them; null when none was sent. Throws INVALID_INPUT for a part of a login. */
export function registryCredential(sent: Sent) {
  const { registryServer, registryUsername, registryPassword, registryEmail } = sent
  const isSent = Object.values({ registryServer, registryUsername, registryPassword, registryEmail }).some(Boolean)
  if (!isSent) return null
  if (registryServer && registryUsername && registryPassword) {
    const login = { registry: registryServer, username: registryUsername, password: registryPassword }
    const data = { ...login, ...(registryEmail ? { email: registryEmail } : {}) }
    return { type: 'CONTAINER_REGISTRY' as const, name: registryOfLogin(registryServer), data }
  }
  throw invalidInput(REQUIRED.filter((field) => !sent[field]).map(missing))
}

const missing = (field: string): FieldProblem => ({ field, message: 'is required for the login of a registry' })
