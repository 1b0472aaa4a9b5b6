import { lstat } from 'node:fs/promises'
import { join } from 'node:path'
import { BuildFailure } from '../../domain/build-failure.ts'
import { addressProblem, foreignTransport } from '../../domain/repository-address.ts'
import { withoutTrailing } from '../../domain/without-trailing.ts'
import { bytesOf, textOf } from '../archive/byte-names.ts'
import type { AbsentEntry } from '../archive/source-tree.ts'
import { MAX_SUBMODULES, type SourceLimits } from '../limits.ts'
import type { Listed } from '../tree/listed-tree.ts'

/** Submodules of submodules. */
const MAX_DEPTH = 5

export interface Superproject {
  /** Its address, against which relative ones are read. */
  url: string
  /** Its folder below the source's, as bytes; empty for the source itself. */
  path: string
  listed: Listed
}

export interface SubmoduleTools {
  /** The source's folder. */
  tree: string
  limits: SourceLimits
  /** The addresses of a superproject's submodules, by what its .gitmodules says; null where that is no file. */
  addresses(
    superproject: Superproject,
    gitmodules: string,
  ): Promise<readonly { path: string; address: string | null }[] | null>
  /** Puts a commit into a folder below the source's, and returns what it holds. */
  place(url: string, commit: string, below: string, limits: SourceLimits): Promise<Listed>
}

/**
 * Fetches what a repository keeps in others, level by level, within the limits of the whole. Returns those that could not be
 * fetched, each with the reason: the build is refused for them only if it sees them. Throws BuildFailure for what is too large,
 * and what may work later.
 */
export async function fetchSubmodules(root: Superproject, tools: SubmoduleTools): Promise<AbsentEntry[]> {
  const absent: AbsentEntry[] = []
  let { files, bytes } = root.listed
  let [level, count] = [[root], 0]
  for (let depth = 0; level.some(({ listed }) => listed.submodules.length > 0); depth += 1) {
    const next: Superproject[] = []
    for (const superproject of level) {
      count += superproject.listed.submodules.length
      if (depth === MAX_DEPTH || count > MAX_SUBMODULES) throw tooMany()
      for (const { path, url, commit, problem } of await located(superproject, tools)) {
        if (problem !== null) {
          absent.push({ path, reason: `is a submodule ${problem}` })
          continue
        }
        const { maxFiles, maxBytes } = tools.limits
        const left = { ...tools.limits, maxFiles: maxFiles - files, maxBytes: maxBytes - bytes }
        try {
          const listed = await tools.place(url, commit, textOf(path), left)
          files += listed.files
          bytes += listed.bytes
          next.push({ url, path, listed })
        } catch (error) {
          if (!isItsOwn(error)) throw error
          absent.push({
            path,
            reason: `is a submodule that cannot be fetched from ${url}: ${error.message}`.slice(0, 400),
          })
        }
      }
    }
    level = next
  }
  return absent
}

const tooMany = () =>
  new BuildFailure(
    'SOURCE_REFUSED',
    `The repository holds more than ${MAX_SUBMODULES} submodules, or some in more than ${MAX_DEPTH} levels`,
  )

/** The submodule is not there, or refused: the source without it may be all that the build needs. */
const isItsOwn = (error: unknown): error is BuildFailure =>
  error instanceof BuildFailure && (error.reason === 'SOURCE_NOT_FOUND' || error.reason === 'SOURCE_REFUSED')

type Located = { path: string; commit: string } & ({ url: string; problem: null } | { url: ''; problem: string })

async function located(superproject: Superproject, { tree, addresses }: SubmoduleTools): Promise<Located[]> {
  const { submodules } = superproject.listed
  if (submodules.length === 0) return []
  const gitmodules = join(tree, textOf(superproject.path), '.gitmodules')
  const isFile = (await lstat(gitmodules).catch(() => null))?.isFile() ?? false
  const found = isFile ? await addresses(superproject, gitmodules) : null
  return submodules.map(({ path: below, commit }): Located => {
    const path = superproject.path === '' ? below : `${superproject.path}/${below}`
    const refused = (problem: string): Located => ({ path, commit, url: '', problem })
    const address = found?.find((one) => one.path === below)?.address ?? null
    if (address === null) return refused('of which .gitmodules has no address')
    if (!Buffer.from(textOf(path)).equals(bytesOf(path))) return refused('whose path is not UTF-8')
    const url = submoduleUrl(address, superproject.url)
    const problem = foreignTransport(url) ?? addressProblem(url)
    return problem === null ? { path, commit, url, problem } : refused(`whose address in .gitmodules ${problem}`)
  })
}

const SSH = /^(?:ssh:\/\/)?(?:[\w.-]+@)([\w.-]+)(?::\d+\/|:|\/)(.+)$/

/**
 * A submodule's address as git reads it: `../lib.git` is beside the repository. Addresses for SSH, which need a key, are those of
 * the same repository over HTTP, at the repository's own host with its port.
 */
export function submoduleUrl(address: string, superproject: string): string {
  const above = new URL(superproject)
  if (/^\.\.?\//.test(address)) return new URL(address, `${withoutTrailing(superproject, '/')}/`).href
  const [, host, path] = /^https?:/i.test(address) ? [] : (SSH.exec(address) ?? [])
  if (host === undefined || path === undefined) return address
  const origin = host.toLowerCase() === above.hostname ? above.origin : `https://${host}`
  return `${origin}/${path.replace(/^\/+/, '')}`
}
