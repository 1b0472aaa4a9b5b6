import { BuildFailure } from '../../domain/build-failure.ts'

/** As many as Linux follows before it gives up. */
const MAX_HOPS = 40

/** A path of the source, or one that a link names. */
interface Place {
  readonly above: Place | null
  /** By name; null while there are none: most places have none. */
  below: Map<string, Place> | null
  link: Link | null
}

interface Link {
  readonly path: string
  readonly target: string
  readonly place: Place
  outcome: Outcome | null
}

/** Where following a link ends, and after how many links. */
type Outcome = { end: 'inside'; hops: number; place: Place } | { end: 'outside'; hops: number } | { end: 'never' }

/**
 * Throws SOURCE_REFUSED unless every link of a source resolves to a path inside it, through any other links. Checking
 * each link alone is not enough: `a/s → ..` and `b → a/s/..` both look harmless, and lead outside together. Walks every
 * target once, however many links lead through it: a few kilobytes of links could otherwise take minutes.
 */
export function assertLinksLeadInside(links: ReadonlyMap<string, string>): void {
  const root = placeIn(null)
  const all = [...links].map(([path, target]) => {
    const place = path.split('/').reduce(step, root)
    place.link = { path, target, place, outcome: null }
    return place.link
  })
  for (const link of all) {
    for (let at = link.place.above; at; at = at.above) if (at.link) throw refused(link.path, 'is below another link')
    const { end } = outcomeOf(link)
    if (end === 'outside') throw refused(link.path, 'leads out of the source')
    if (end === 'never') throw refused(link.path, 'leads through too many others')
  }
}

const placeIn = (above: Place | null): Place => ({ above, below: null, link: null })

function step(from: Place, name: string): Place {
  const known = from.below?.get(name)
  if (known) return known
  const place = placeIn(from)
  from.below ??= new Map()
  from.below.set(name, place)
  return place
}

/** One link that is being followed: the place reached so far, and the names that are still ahead. */
interface Walk {
  link: Link
  place: Place
  ahead: readonly string[]
  next: number
  hops: number
}

const begin = (link: Link): Walk => ({
  link,
  place: link.place.above ?? link.place,
  ahead: link.target.split('/'),
  next: 0,
  hops: 1,
})

/** A list instead of recursion: as many links may lead through one another as a source may hold. */
function outcomeOf(first: Link): Outcome {
  const walks = first.outcome ? [] : [begin(first)]
  const underWay = new Set([first])
  for (let walk = walks.at(-1); walk; walk = walks.at(-1)) {
    const through = advance(walk)
    if (through && !underWay.has(through)) {
      underWay.add(through)
      walks.push(begin(through))
      continue
    }
    // A link that leads through itself leads nowhere.
    if (through) walk.link.outcome = { end: 'never' }
    underWay.delete(walk.link)
    walks.pop()
  }
  return first.outcome ?? { end: 'never' }
}

/** Goes on until the outcome is known, or until it depends on another link's, which it returns. */
function advance(walk: Walk): Link | null {
  const { link, ahead } = walk
  const end = (outcome: Outcome): null => {
    link.outcome = outcome
    return null
  }
  if (link.target.startsWith('/')) return end({ end: 'outside', hops: walk.hops })
  for (; walk.next < ahead.length; walk.next += 1) {
    const name = ahead[walk.next] ?? ''
    if (name === '' || name === '.') continue
    if (name === '..') {
      if (!walk.place.above) return end({ end: 'outside', hops: walk.hops })
      walk.place = walk.place.above
      continue
    }
    const place = step(walk.place, name)
    if (!place.link) {
      walk.place = place
      continue
    }
    const { outcome } = place.link
    if (!outcome) return place.link
    if (outcome.end === 'never' || walk.hops + outcome.hops > MAX_HOPS) return end({ end: 'never' })
    walk.hops += outcome.hops
    if (outcome.end === 'outside') return end({ end: 'outside', hops: walk.hops })
    walk.place = outcome.place
  }
  return end({ end: 'inside', hops: walk.hops, place: walk.place })
}

const refused = (path: string, why: string) =>
  new BuildFailure('SOURCE_REFUSED', `The link ${JSON.stringify(path.slice(0, 120))} ${why}`)
