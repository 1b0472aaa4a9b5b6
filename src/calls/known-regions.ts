import { DomainError, type FieldProblem, invalidInput, notFound } from '../domain/errors.ts'
import { nearNames } from '../domain/near-names.ts'
import type { Database, Transaction } from '../storage/database/client.ts'
import type { Region } from '../storage/database/generated/prisma/client.ts'

/** An installation may have many; a message holds this many. */
const MAX_NAMED = 20

/** The region of a code. Throws NOT_FOUND with those that there are. */
export async function requireRegion(tx: Transaction, code: string): Promise<Region> {
  const region = await tx.region.findUnique({ where: { code } })
  if (region) return region
  const codes = await regionCodes(tx)
  const [near] = nearNames(code, codes)
  throw notFound('region', code, near ? `did you mean ${near}?` : listed(codes))
}

/** The same refusal; where it is that a region was not sent, with those that there are. */
export async function withRegions(database: Database, error: unknown): Promise<unknown> {
  const fields = error instanceof DomainError ? error.details.fields : undefined
  if (!fields?.some(isMissingRegion)) return error
  const message = `is required: ${listed(await regionCodes(database))}`
  return invalidInput(fields.map((problem) => (isMissingRegion(problem) ? { ...problem, message } : problem)))
}

const isMissingRegion = ({ field, message }: FieldProblem): boolean => field === 'region' && message === 'is required'

async function regionCodes(client: Database | Transaction): Promise<string[]> {
  const regions = await client.region.findMany({ select: { code: true }, orderBy: { code: 'asc' }, take: MAX_NAMED })
  return regions.map(({ code }) => code)
}

const listed = (codes: readonly string[]): string =>
  codes.length === 0 ? 'there is none yet' : `one of ${codes.join(', ')}`
