import type { CommandContext } from '../../calls/command.ts'
import { notFound } from '../../domain/errors.ts'
import type { InputValues } from '../../solutions/plan.ts'
import type { Solution } from '../../solutions/solution.ts'
import { findSolution } from '../../solutions/solutions.ts'
import type { Transaction } from '../../storage/database/client.ts'
import type { Prisma } from '../../storage/database/generated/prisma/client.ts'

const withComponents = { components: { orderBy: { position: 'asc' } } } satisfies Prisma.SolutionInstallationInclude

export type LoadedInstallation = Prisma.SolutionInstallationGetPayload<{ include: typeof withComponents }>

/** Locks the installation for the rest of the transaction; null when there is none, or it was removed. */
export async function lockInstallationIfThere(tx: Transaction, id: string): Promise<LoadedInstallation | null> {
  await tx.$queryRaw`SELECT 1 FROM solution_installation WHERE id = ${id} FOR UPDATE`
  return tx.solutionInstallation.findFirst({ where: { id, deletedAt: null }, include: withComponents })
}

export async function lockSolutionInstallation(tx: Transaction, id: string): Promise<LoadedInstallation> {
  const found = await lockInstallationIfThere(tx, id)
  if (!found) throw notFound('installation', id)
  return found
}

export function getSolution(slug: string): Solution {
  const found = findSolution(slug)
  if (!found) throw notFound('solution', slug)
  return found
}

/** What an installation was made of: the catalogue may have changed since, and a compose file is in no catalogue. */
export interface Declared {
  solution: Solution
  values: InputValues
}

type Sealed = Pick<LoadedInstallation, 'id' | 'accountId' | 'solutionSlug' | 'sealedInputs'>

export async function declarationOf(
  { tx, vault }: Pick<CommandContext, 'vault'> & { tx: Pick<CommandContext['tx'], 'account'> },
  installation: Sealed,
): Promise<Declared> {
  const account = await tx.account.findUniqueOrThrow({ where: { id: installation.accountId } })
  const opened = vault.forAccount(account).openInputs(installation.id, installation.sealedInputs)
  // The first installations kept their inputs alone.
  return isDeclared(opened)
    ? opened
    : { solution: getSolution(installation.solutionSlug), values: opened as InputValues }
}

const isDeclared = (opened: unknown): opened is Declared =>
  typeof (opened as { solution?: unknown }).solution === 'object'

/** For the column of an installation that holds it. */
export const sealDeclaration = (
  { vault }: CommandContext,
  account: { id: string; dataKey: string },
  id: string,
  declared: Declared,
): string => vault.forAccount(account).sealInputs(id, declared)
