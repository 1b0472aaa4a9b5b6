/** The location of an image: `registry/repository`, and the tag or the digest (never neither). */
export interface ImageReference {
  registry: string
  repository: string
  tag: string | null
  digest: string | null
}

export type ParsedImageReference = { reference: ImageReference } | { problem: string }

const DOCKER_HUB = 'docker.io'
const MAX_TEXT_LENGTH = 512
const MAX_NAME_LENGTH = 255

// The grammar of the distribution project's `reference` package, without IPv6 hosts and digests other than SHA-256.
const HOST = /^(?:[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?)(?:\.[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?)*$/
const PATH_PART = /^[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*$/
const TAG = /^\w[\w.-]{0,127}$/
const DIGEST = /^sha256:[0-9a-f]{64}$/
const BARE_IMAGE_ID = /^(?:sha256:)?[0-9a-f]{64}$/

/**
 * Reads `[host[:port]/]repository[:tag][@sha256:digest]`, as users and container tools write it. `nginx` means
 * `docker.io/library/nginx:latest`. Anything else is a problem; the message names the part.
 */
export function parseImageReference(text: string): ParsedImageReference {
  const problem = problemOfText(text)
  if (problem) return { problem }
  const [beforeDigest = '', digest = null, ...more] = text.split('@')
  if (more.length > 0 || (digest !== null && !DIGEST.test(digest))) {
    return { problem: 'the digest after "@" must be sha256: and 64 hexadecimal digits' }
  }
  const { name, tag } = splitTag(beforeDigest)
  if (tag !== null && !TAG.test(tag)) {
    return {
      problem: `the tag "${tag}" must be 1 to 128 letters, digits, "_", "." or "-", and not begin with "." or "-"`,
    }
  }
  const { registry, repository } = splitRegistry(name)
  const nameProblem = problemOfRegistry(registry) ?? problemOfRepository(repository)
  if (nameProblem) return { problem: nameProblem }
  return { reference: { registry, repository, digest, tag: tag ?? (digest === null ? 'latest' : null) } }
}

export const isImageReference = (text: string): boolean => 'reference' in parseImageReference(text)

/** `registry/repository` in full, the form in which two references can be compared. */
export const repositoryOf = ({ registry, repository }: ImageReference): string => `${registry}/${repository}`

/** The reference in full; a digest overrides the tag. */
export const formatImageReference = (reference: ImageReference): string =>
  reference.digest === null
    ? `${repositoryOf(reference)}:${reference.tag}`
    : `${repositoryOf(reference)}@${reference.digest}`

function problemOfText(text: string): string | null {
  if (text === '') return 'an image reference must not be empty'
  if (text.length > MAX_TEXT_LENGTH) return `an image reference has at most ${MAX_TEXT_LENGTH} characters`
  if (/[^\x21-\x7e]/.test(text)) return 'an image reference has no spaces, control or non-ASCII characters'
  if (text.includes('://')) return 'an image reference does not begin with a scheme such as https://'
  // An engine would read such a name as one of its image ids, also of another tenant's image.
  if (BARE_IMAGE_ID.test(text)) return 'an image id is not an image reference'
  return null
}

/** A colon after the last slash separates the tag; one before it belongs to the registry's port. */
function splitTag(text: string): { name: string; tag: string | null } {
  const colon = text.indexOf(':', text.lastIndexOf('/') + 1)
  return colon < 0 ? { name: text, tag: null } : { name: text.slice(0, colon), tag: text.slice(colon + 1) }
}

/** The first part is a registry only if it cannot be part of a repository: it has a dot or a port, or is localhost. */
function splitRegistry(name: string): { registry: string; repository: string } {
  const slash = name.indexOf('/')
  const first = name.slice(0, Math.max(slash, 0))
  const hasRegistry = first === 'localhost' || /[.:]/.test(first)
  const registry = hasRegistry ? first.toLowerCase() : DOCKER_HUB
  const repository = hasRegistry ? name.slice(slash + 1) : name
  if (registry !== DOCKER_HUB && registry !== `index.${DOCKER_HUB}`) return { registry, repository }
  return { registry: DOCKER_HUB, repository: repository.includes('/') ? repository : `library/${repository}` }
}

function problemOfRegistry(registry: string): string | null {
  const [host = '', port, ...more] = registry.split(':')
  const portIsRight = port === undefined || (/^[1-9]\d{0,4}$/.test(port) && Number(port) <= 65_535)
  return HOST.test(host) && portIsRight && more.length === 0
    ? null
    : `the registry "${registry}" must be a host name and, after a colon, a port`
}

function problemOfRepository(repository: string): string | null {
  if (repository.length > MAX_NAME_LENGTH) return `the repository has at most ${MAX_NAME_LENGTH} characters`
  const wrong = repository.split('/').find((part) => !PATH_PART.test(part))
  if (wrong === undefined) return null
  const rule = /[A-Z]/.test(wrong)
    ? 'must be lower case'
    : 'must be letters, digits, and single ".", "_" or "-" between them'
  return `the repository part "${wrong}" ${rule}`
}

/** As BuildKit calls it: without what is understood, so that `docker.io/library/node:latest` is `node`. */
export function familiarName(image: string): string {
  const parsed = parseImageReference(image)
  if ('problem' in parsed) return image
  const { registry, repository, tag, digest } = parsed.reference
  const path = registry === DOCKER_HUB ? repository.replace(/^library\//, '') : `${registry}/${repository}`
  const suffix = digest ? `@${digest}` : ''
  return `${path}${tag && tag !== 'latest' ? `:${tag}` : ''}${suffix}`
}
