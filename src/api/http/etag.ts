import { createHash } from 'node:crypto'
import { DomainError } from '../../domain/errors.ts'

const HASH_LENGTH = 16

/**
 * A strong ETag: `"v<version>-<hash>"`, or the hash alone for a resource without a version. If-Match compares the
 * version, which is what a write would overwrite. If-None-Match compares all of it, because parts of an answer (such as
 * pending changes) change without a new version.
 */
export function etagOf(body: string | Buffer, version?: number): string {
  const hash = createHash('sha256').update(body).digest('base64url').slice(0, HASH_LENGTH)
  return version === undefined ? `"${hash}"` : `"v${version}-${hash}"`
}

/** The ETag of a write's answer: enough for the next If-Match. */
export const versionEtag = (version: number): string => `"v${version}"`

/**
 * The version that If-Match requires; undefined without the header, or for `*`. Throws PRECONDITION_FAILED for a value
 * that names no version.
 */
export function expectedVersionOf(ifMatch: string | undefined): number | undefined {
  const text = ifMatch?.trim()
  if (text === undefined || text === '*') return undefined
  const version = /^"v(\d{1,9})(?:-[\w-]+)?"$/.exec(text)?.[1]
  if (version) return Number(version)
  throw new DomainError(
    'PRECONDITION_FAILED',
    'MALFORMED_IF_MATCH',
    `If-Match must be one ETag of this resource, such as ${etagOf('an example', 3)}, or *`,
  )
}

/** Whether If-None-Match names the answer that the client already has. Weak comparison, as for every GET. */
export function isUnchanged(ifNoneMatch: string | undefined, etag: string): boolean {
  if (!ifNoneMatch) return false
  const known = ifNoneMatch.split(',').map((tag) => tag.trim().replace(/^W\//, ''))
  return known.includes('*') || known.includes(etag)
}
