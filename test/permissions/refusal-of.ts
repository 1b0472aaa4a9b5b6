import type { AnyCommand } from '../../src/calls/command.ts'
import { DomainError } from '../../src/domain/errors.ts'
import type { World } from '../support/world.ts'

/** Why a call is refused, as its dry run says; null: it is not. */
export async function refusalOf(
  world: World,
  token: string,
  [command, input]: [AnyCommand, object],
): Promise<DomainError | null> {
  try {
    await world.perform(command, input, { as: token, dryRun: true })
    return null
  } catch (error) {
    if (error instanceof DomainError) return error
    throw error
  }
}
