import { randomInt } from 'node:crypto'
import type { Engine, EngineCredentials } from '../../app-types/engines/engine.ts'
import type { CommandContext } from '../../calls/command.ts'
import { newId } from '../../domain/ids.ts'
import type { LoadedAppEnv } from '../targets/load-app-env.ts'

/** Letters and digits only: they mean nothing in URLs, shells and the configuration of any engine. */
const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'
/** 190 bits. */
const PASSWORD_LENGTH = 32

export const newPassword = (): string =>
  Array.from({ length: PASSWORD_LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]).join('')

/** New credentials for an environment, stored sealed; returns their id. */
export async function generateCredentials(
  { tx, vault }: CommandContext,
  { account }: LoadedAppEnv,
  engine: Engine,
): Promise<string> {
  const id = newId('svc')
  const credentials: EngineCredentials = { user: engine.user, password: newPassword(), adminPassword: newPassword() }
  const sealedData = vault.forAccount(account).sealServiceCredentials(id, credentials)
  await tx.serviceCredentials.create({ data: { id, accountId: account.id, sealedData } })
  return id
}
