import { BuildFailure } from '../../domain/build-failure.ts'

/** As many as Linux follows before it gives up. */
const MOST_HOPS = 40

/**
 * Throws SOURCE_REFUSED unless every link of a source resolves to a path inside it, through any other links. Checking
 * each link alone is not enough: `a/s → ..` and `b → a/s/..` both look harmless, and lead outside together.
 */
export function assertLinksLeadInside(links: ReadonlyMap<string, string>): void {
  for (const path of links.keys()) {
    const above = path.split('/').slice(0, -1)
    const isBelowLink = above.some((_part, at) => links.has(above.slice(0, at + 1).join('/')))
    if (isBelowLink) throw refused(path, 'is below another link')
    follow(path, links)
  }
}

function follow(path: string, links: ReadonlyMap<string, string>): void {
  const reached: string[] = []
  let ahead = path.split('/')
  for (let hops = 0; ahead.length > 0; ) {
    const [part = '', ...rest] = ahead
    ahead = rest
    if (part === '' || part === '.') continue
    if (part === '..') {
      if (reached.pop() === undefined) throw refused(path, 'leads out of the source')
      continue
    }
    reached.push(part)
    const target = links.get(reached.join('/'))
    if (target === undefined) continue
    hops += 1
    if (hops > MOST_HOPS) throw refused(path, 'leads through too many others')
    if (target.startsWith('/')) throw refused(path, 'leads out of the source')
    reached.pop()
    ahead = [...target.split('/'), ...ahead]
  }
}

const refused = (path: string, why: string) =>
  new BuildFailure('SOURCE_REFUSED', `The link ${JSON.stringify(path.slice(0, 120))} ${why}`)
