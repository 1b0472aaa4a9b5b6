import type { Transaction } from '../../database/client.ts'
import type { Prisma } from '../../database/generated/prisma/client.ts'
import { notFound } from '../../domain/errors.ts'
import type { Solution } from '../../solutions/solution.ts'
import { findSolution } from '../../solutions/solutions.ts'

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
