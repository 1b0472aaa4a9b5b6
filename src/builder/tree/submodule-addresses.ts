import { nameOf } from '../archive/byte-names.ts'
import { MAX_ADDRESS } from '../limits.ts'

const SETTING = /^submodule\.(.*)\.(path|url)$/s

/** The addresses of the submodules at these paths, from what `git config -z --get-regexp` printed; null where it has none. */
export function submoduleAddresses(text: string, paths: readonly string[]): { path: string; address: string | null }[] {
  const settings = new Map<string, { path?: string; url?: string }>()
  for (const entry of text.split('\0')) {
    const end = entry.indexOf('\n')
    const [, name, key] = SETTING.exec(entry.slice(0, Math.max(end, 0))) ?? []
    if (name === undefined || key === undefined) continue
    settings.set(name, { ...settings.get(name), [key]: entry.slice(end + 1) })
  }
  // By path: two submodules may have the same one, of which git takes the last.
  const byPath = new Map([...settings.values()].map(({ path = '', url }) => [nameOf(Buffer.from(path)), url ?? null]))
  return paths.map((path) => {
    const address = byPath.get(path) ?? null
    return { path, address: address !== null && address.length <= MAX_ADDRESS ? address : null }
  })
}
