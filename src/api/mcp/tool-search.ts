import type { ToolDescription } from './tools.ts'

/** What is searched of a tool. */
export interface Entry extends Pick<ToolDescription, 'name' | 'description' | 'inputSchema' | 'annotations'> {
  /** The set that it belongs to, in words. */
  set: string
}

/** How much a word says about a tool by where it stands: its name says what the tool does, an argument only what with. */
const WEIGHTS = { name: 6, description: 2, set: 1.5, argument: 1 } as const

/** A word that means the same says a little less than the word itself. */
const SYNONYM = 0.8

/** Names that hold nothing else than what was asked for come first. */
const WHOLE_NAME = 4

/** Words of a question that say nothing about tools. */
const SILENT: ReadonlySet<string> = new Set(
  'a an and are at be by can do does for from get give has have how i in into is it its me my need of on one or our please show tell that the their them there this to us use want was we what when where which will with would you your'.split(
    ' ',
  ),
)

/** Words that users have for what the calls name otherwise. */
const SYNONYMS: Readonly<Record<string, string>> = {
  abort: 'cancel',
  alert: 'webhook budget',
  apikey: 'token',
  bill: 'usage statement budget',
  bounce: 'redeploy restart',
  broken: 'operation history status',
  bucket: 'backup credential',
  certificate: 'host',
  change: 'update set',
  cname: 'host',
  colleague: 'member invitation',
  console: 'log',
  cost: 'usage price',
  crash: 'log operation',
  cron: 'schedule job',
  daily: 'schedule',
  database: 'service',
  db: 'service database',
  destroy: 'delete remove',
  dns: 'host',
  domain: 'host',
  drop: 'delete remove',
  dump: 'backup',
  edit: 'update change',
  env: 'environment',
  error: 'log operation',
  event: 'webhook audit',
  every: 'schedule',
  execute: 'run job',
  export: 'download',
  fail: 'operation history status',
  github: 'git auto-deploy hook',
  hostname: 'host',
  https: 'host',
  instance: 'container scale pod',
  invite: 'invitation member',
  key: 'token credential',
  kill: 'cancel stop',
  login: 'credential',
  make: 'create',
  mongodb: 'database service',
  money: 'usage budget',
  month: 'usage statement',
  mysql: 'database service',
  new: 'create',
  next: 'schedule',
  night: 'schedule',
  nightly: 'schedule',
  notify: 'webhook',
  output: 'log',
  password: 'credential variable',
  pause: 'stop',
  people: 'member',
  permission: 'role member token',
  person: 'member',
  postgre: 'database service',
  postgresql: 'database service',
  previous: 'rollback history',
  price: 'usage plan',
  prs: 'pull-request',
  publish: 'deploy',
  ram: 'memory resources',
  reboot: 'redeploy restart',
  recover: 'restore',
  recurr: 'schedule',
  redi: 'database service',
  registry: 'credential',
  renew: 'rotate',
  replica: 'container scale',
  restart: 'redeploy',
  resume: 'start',
  revert: 'rollback',
  scale: 'containers replica',
  secret: 'variable credential token',
  size: 'resources',
  slack: 'webhook',
  spend: 'usage budget',
  ssl: 'host',
  stdout: 'log',
  storage: 'volume backup',
  task: 'job',
  team: 'member account',
  teammate: 'member invitation',
  template: 'solution',
  timer: 'schedule',
  tls: 'host',
  undo: 'rollback',
  upgrade: 'update',
  user: 'member',
  usage: 'metrics',
  view: 'list',
  who: 'audit user',
  why: 'operation history log',
  wrong: 'operation fail log',
  zip: 'upload storage',
}

/** The beginning that the forms of a word share: "deployments", "deploying" and "deployed" are "deploy". */
export function stemOf(word: string): string {
  const singular = word.length > 3 ? word.replace(/(?<=[^s])s$/, '').replace(/ie$/, 'y') : word
  const stem = singular.length > 5 ? singular.replace(/(ments?|ing|ed|ation)$/, '') : singular
  return stem.length > 3 ? stem.replace(/e$/, '').replace(/(.)\1$/, '$1') : stem
}

const wordsOf = (text: string): string[] => text.toLowerCase().match(/[a-z0-9]+/g) ?? []

/** The stems of a text, and those of two words that stand together as one: "roll back" is "rollback", too. */
function stemsOf(text: string): string[] {
  const words = wordsOf(text.replace(/([a-z])([A-Z])/g, '$1 $2'))
  const pairs = words.slice(1).map((word, index) => `${words[index]}${word}`)
  return [...words, ...pairs].map(stemOf)
}

const SYNONYM_STEMS: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries(SYNONYMS).map(([word, others]) => [stemOf(word), wordsOf(others).map(stemOf)]),
)

type Weights = ReadonlyMap<string, number>

interface Indexed {
  entry: Entry
  nameStems: ReadonlySet<string>
  weights: Weights
}

/** Tools that can be found by words. Pure: the same words find the same tools in the same order. */
export class ToolSearch {
  readonly #tools: readonly Indexed[]
  /** How much a stem tells tools apart. */
  readonly #rarity: Weights

  constructor(entries: readonly Entry[]) {
    this.#tools = entries.map(indexed)
    const counts = new Map<string, number>()
    for (const { weights } of this.#tools) {
      for (const stem of weights.keys()) counts.set(stem, (counts.get(stem) ?? 0) + 1)
    }
    const rarity = (count: number) => Math.log(1 + entries.length / count)
    this.#rarity = new Map([...counts].map(([stem, count]) => [stem, rarity(count)]))
  }

  /** The names of the tools that words may mean, the likeliest first; all that `isOffered` allows. */
  find(query: string, isOffered: (name: string) => boolean): string[] {
    const asked = askedStems(query)
    return this.#tools
      .filter(({ entry }) => isOffered(entry.name))
      .map(({ entry, ...tool }) => ({ entry, score: this.#score(tool, asked) }))
      .filter(({ score }) => score > 0)
      .sort((one, other) => other.score - one.score || inOrder(one.entry, other.entry))
      .map(({ entry }) => entry.name)
  }

  #score({ weights, nameStems }: Omit<Indexed, 'entry'>, asked: ReadonlySet<string>): number {
    const worth = (stem: string) => (weights.get(stem) ?? 0) * (this.#rarity.get(stem) ?? 0)
    let score = 0
    const named = new Set<string>()
    for (const stem of asked) {
      const synonyms = SYNONYM_STEMS.get(stem) ?? []
      score += Math.max(worth(stem), ...synonyms.map((synonym) => worth(synonym) * SYNONYM))
      for (const one of [stem, ...synonyms]) if (nameStems.has(one)) named.add(one)
    }
    return score === 0 ? 0 : score + (WHOLE_NAME * named.size) / nameStems.size
  }
}

/** Of tools that the words fit equally: what destroys comes last. */
const inOrder = (one: Entry, other: Entry): number =>
  Number(one.annotations.destructiveHint) - Number(other.annotations.destructiveHint) ||
  (one.name < other.name ? -1 : 1)

function askedStems(query: string): ReadonlySet<string> {
  const words = wordsOf(query).filter((word) => !SILENT.has(word))
  const asked = stemsOf(words.join(' '))
  return new Set(asked)
}

function indexed(entry: Entry): Indexed {
  const weights = new Map<string, number>()
  const add = (stems: readonly string[], weight: number) => {
    for (const stem of stems) weights.set(stem, Math.max(weight, weights.get(stem) ?? 0))
  }
  // A tool's name has its words for a program: "app-env" is an environment.
  const name = entry.name.replaceAll('app-env', 'environment').replaceAll('-', ' ')
  const args = Object.keys((entry.inputSchema.properties ?? {}) as object)
  add(stemsOf(args.join(' ')), WEIGHTS.argument)
  add(stemsOf(entry.set), WEIGHTS.set)
  add(stemsOf(entry.description), WEIGHTS.description)
  add(stemsOf(name), WEIGHTS.name)
  return { entry, nameStems: new Set(wordsOf(name).map(stemOf)), weights }
}
