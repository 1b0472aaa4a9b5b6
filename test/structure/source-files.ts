import { readdirSync } from 'node:fs'
import { join } from 'node:path'

const ROOT = join(import.meta.dirname, '../..')
const GENERATED = /^src\/(storage\/database|api\/http|solutions)\/generated\//

export interface SourceFile {
  /** From the project's folder, such as src/api/http/rate-limits.ts. */
  path: string
  /** Without its extension. */
  name: string
  absolutePath: string
}

/** Everything under src that a person wrote. */
export function sourceFiles(): SourceFile[] {
  return readdirSync(join(ROOT, 'src'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => {
      const absolutePath = join(entry.parentPath, entry.name)
      return { absolutePath, path: absolutePath.slice(ROOT.length + 1), name: entry.name.replace(/(\.d)?\.[^.]+$/, '') }
    })
    .filter(({ path }) => !GENERATED.test(path))
    .sort((a, b) => (a.path < b.path ? -1 : 1))
}
