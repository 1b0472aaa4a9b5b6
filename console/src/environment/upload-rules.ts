import { IgnoreRules, type ReadPath } from '../../../src/domain/ignore-rules.ts'

/** Of the version control, and of secrets that a machine keeps for itself; a `.dockerignore` may include the latter again. */
const NEVER = ['.git', '**/.git', '**/.env', '**/.env.*']
/** Left out of folders that have no rules of their own: the build installs them. */
const WITHOUT_RULES = ['**/node_modules', '**/.venv', '**/__pycache__', '**/.DS_Store']
/** The build reads them, even where the rules leave them out of the image. */
const ALWAYS = /^(?:[^/]+\/)*(?:\.dockerignore|[^/]*Dockerfile[^/]*)$/

export interface Folder {
  /** What it says of a path below it. */
  below: (name: string) => Decision
}

interface Decision extends Folder {
  isIgnored: boolean
  /** Nothing below it is uploaded either, so it is not read. */
  isWholeIgnored: boolean
}

/**
 * What of a folder is uploaded: all that its `.dockerignore` does not leave out, as the build reads it. Throws
 * SOURCE_REFUSED for rules that the build would refuse.
 */
export function uploadRules(dockerignore: string | null): Folder {
  const own = dockerignore?.replace(/^\uFEFF/, '').split('\n')
  const rules = new IgnoreRules([...NEVER, ...(own ?? WITHOUT_RULES)])
  const folder = (read: ReadPath, path: string): Folder => ({
    below(name) {
      const full = path === '' ? name : `${path}/${name}`
      const next = rules.below(read, path === '' ? name : `/${name}`)
      const isIgnored = next.isIgnored && (!ALWAYS.test(full) || name === '.git')
      return { ...folder(next, full), isIgnored, isWholeIgnored: next.isIgnored && next.ahead.length === 0 }
    },
  })
  return folder(rules.root, '')
}

/** Whether a path is uploaded, for lists that a browser has walked already. */
export function isUploaded(rules: Folder, path: string): boolean {
  let [above, isIgnored] = [rules, false]
  for (const name of path.split('/')) {
    const decision = above.below(name)
    above = decision
    isIgnored = decision.isIgnored
  }
  return !isIgnored
}
