import { typeid } from 'typeid-js'

/** The nouns that have ids, by prefix (contract §1, Identifiers). */
const PREFIXES = [
  ...(['acc', 'usr', 'app', 'env', 'con', 'op', 'var', 'host', 'tok', 'aud', 'ins', 'cred'] as const),
  ...([
    'upl',
    'vol',
    'svc',
    'bak',
    'arc',
    'wal',
    'wake',
    'run',
    'sch',
    'inst',
    'inv',
    'hook',
    'dlv',
    'ghook',
    'gdlv',
    'ses',
    'pky',
    'ocl',
    'oau',
  ] as const),
]

export type IdPrefix = (typeof PREFIXES)[number]

/** The suffix of a TypeID: a UUIDv7 in Crockford's base 32. */
const ID = new RegExp(`^(${PREFIXES.join('|')})_[0-7][0-9a-hjkmnp-tv-z]{25}$`)

/** A new TypeID: the prefix and a UUIDv7, so that ids sort by creation time. */
export const newId = (prefix: IdPrefix): string => typeid(prefix).toString()

/** The prefix of an id, or null when the text is not one of our ids. */
export const prefixOf = (id: string): IdPrefix | null => (ID.exec(id)?.[1] as IdPrefix | undefined) ?? null
