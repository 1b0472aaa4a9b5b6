import { typeid } from 'typeid-js'

/** The nouns that have ids, by prefix (contract §1, Identifiers). */
export type IdPrefix =
  | 'acc'
  | 'usr'
  | 'app'
  | 'env'
  | 'con'
  | 'op'
  | 'var'
  | 'host'
  | 'tok'
  | 'aud'
  | 'ins'
  | 'cred'
  | 'upl'
  | 'vol'
  | 'svc'
  | 'bak'
  | 'run'
  | 'sch'

/** A new TypeID: the prefix and a UUIDv7, so that ids sort by creation time. */
export const newId = (prefix: IdPrefix): string => typeid(prefix).toString()

/** The prefix of an id, or null when the text is not one of our ids. */
export function prefixOf(id: string): IdPrefix | null {
  const match =
    /^(acc|usr|app|env|con|op|var|host|tok|aud|ins|cred|upl|vol|svc|bak|run|sch)_[0-7][0-9a-hjkmnp-tv-z]{25}$/.exec(id)
  return match ? (match[1] as IdPrefix) : null
}
