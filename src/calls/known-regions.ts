import { invalidField, notFound } from '../domain/errors.ts'
import { nearNames } from '../domain/near-names.ts'
import type { Transaction } from '../storage/database/client.ts'
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

/** The region of a code, or the only one that there is. Throws where none was named and there are several, or none. */
export async function regionOrOnly(tx: Transaction, code: string | undefined): Promise<Region> {
  if (code !== undefined) return requireRegion(tx, code)
  const [only, ...others] = await tx.region.findMany({ orderBy: { code: 'asc' }, take: MAX_NAMED })
  if (only && others.length === 0) return only
  throw invalidField('region', `is required: ${listed([only, ...others].flatMap((region) => region?.code ?? []))}`)
}

async function regionCodes(tx: Transaction): Promise<string[]> {
  const regions = await tx.region.findMany({ select: { code: true }, orderBy: { code: 'asc' }, take: MAX_NAMED })
  return regions.map(({ code }) => code)
}

const listed = (codes: readonly string[]): string =>
  codes.length === 0 ? 'there is none yet' : `one of ${codes.join(', ')}`
