import { typeid } from 'typeid-js'

/** The nouns that have ids, by prefix (contract §1, Identifiers), as messages call them. */
const NOUNS = {
  acc: 'account',
  usr: 'user',
  app: 'app',
  env: 'app environment',
  con: 'deployment',
  op: 'operation',
  var: 'variable',
  host: 'host',
  tok: 'token',
  aud: 'audit entry',
  ins: 'installation of Berth',
  cred: 'credential',
  upl: 'upload',
  vol: 'volume',
  svc: 'set of credentials of a managed service',
  bak: 'backup',
  arc: 'archive of a log of changes',
  wal: 'piece of a log of changes',
  wake: 'wake',
  run: 'job run',
  sch: 'job schedule',
  inst: 'installation',
  inv: 'invitation',
  hook: 'webhook',
  dlv: 'delivery',
  ghook: 'git hook',
  gdlv: 'git delivery',
  ses: 'session',
  pky: 'passkey',
  ocl: 'OAuth client',
  oau: 'authorization',
  rem: 'remote session',
  insp: 'source inspection',
} as const

export type IdPrefix = keyof typeof NOUNS

const PREFIXES = Object.keys(NOUNS) as IdPrefix[]

/** The suffix of a TypeID: a UUIDv7 in Crockford's base 32. */
const ID = new RegExp(`^(${PREFIXES.join('|')})_[0-7][0-9a-hjkmnp-tv-z]{25}$`)

/** A new TypeID: the prefix and a UUIDv7, so that ids sort by creation time. */
export const newId = (prefix: IdPrefix): string => typeid(prefix).toString()

/** The prefix of an id, or null when the text is not one of our ids. */
export const prefixOf = (id: string): IdPrefix | null => (ID.exec(id)?.[1] as IdPrefix | undefined) ?? null

/**
 * What is wrong with an id that names another noun than the wanted one, such as an app's where an app environment's is
 * wanted; null where it may be right, or is no id of ours.
 */
export function otherNoun(wanted: string, id: string): string | null {
  const prefix = prefixOf(id)
  const own = PREFIXES.find((one) => NOUNS[one] === wanted)
  if (!prefix || !own || prefix === own) return null
  return `that is the id of ${withArticle(NOUNS[prefix])} (${prefix}_…), and the id of ${withArticle(wanted)} begins with ${own}_`
}

const withArticle = (noun: string): string =>
  `${/^[aeiou]/i.test(noun) && !noun.startsWith('user') ? 'an' : 'a'} ${noun}`
