import { execFile } from 'node:child_process'
import { once } from 'node:events'
import type { TestCluster } from '../../crash/harness/test-cluster.ts'
import { readGraphql, refusals, type Shown } from './canary-graphql.ts'
import { combinations } from './combinations.ts'

interface Schema {
  enum?: string[]
  $ref?: string
}
interface OpenApi {
  components: { schemas: Record<string, Schema> }
  paths: Record<string, { get?: { parameters?: { name: string; in: string; schema?: Schema }[] } }>
}

/** Which places show one of the secrets. Fails where the search itself would find nothing. */
export async function placesOf(
  cluster: TestCluster,
  secrets: ReadonlySet<string>,
  parameters: Readonly<Record<string, string>>,
): Promise<string[]> {
  const isLeaked = (text: string) => [...secrets].some((secret) => text.includes(secret))
  const answers = [
    ...(await readEverything(cluster, parameters)),
    ...(await readGraphql(cluster, parameters)),
    ...(await refusals(cluster, parameters)),
  ]
  const places = [
    ...answers.filter(([, text]) => isLeaked(text)).map(([path]) => path),
    ...(await leakingContainers(cluster, isLeaked)),
    ...(await leakingTables(cluster, isLeaked, parameters.accountId ?? '')),
    ...(await leakingFiles(cluster.folder, secrets)),
  ]
  return places
}

/** Every read of the API but that of the credentials, with each value of a parameter that has a list of them. */
async function readEverything(
  { call, ports }: TestCluster,
  parameters: Readonly<Record<string, string>>,
): Promise<Shown[]> {
  const document = await fetch(`http://127.0.0.1:${ports.api[0]}/openapi.json`)
  const { paths, components } = (await document.json()) as OpenApi
  const valuesOf = ({ enum: values, $ref = '' }: Schema = {}): string[] =>
    values ?? components.schemas[$ref.split('/').at(-1) ?? '']?.enum ?? []
  const urls = Object.entries(paths).flatMap(([path, { get }]) => {
    if (!get || /credentials$/.test(path)) return []
    const choices = (get.parameters ?? []).map(({ name, schema }) => {
      const values = parameters[name] === undefined ? valuesOf(schema) : [parameters[name]]
      return values.map((value) => `${name}=${encodeURIComponent(value)}`)
    })
    return combinations(choices).map((query) => `${path.replace(/^\/api\/public\/v1/, '')}?${query.join('&')}`)
  })
  const read: Shown[] = []
  for (const url of urls) read.push([`GET ${url}`, (await call('GET', url)).text])
  if (read.length < 20) throw new Error(`Only ${read.length} reads were found`)
  return read
}

/** Names, labels, arguments and output: not the environment and the files, which are what a secret is for. */
async function leakingContainers(
  { docker, installationId }: TestCluster,
  isLeaked: (text: string) => boolean,
): Promise<string[]> {
  const filters = { label: [`berth.installation=${installationId}`] }
  const leaking: string[] = []
  let holders = 0
  for (const { Id } of await docker.listContainers({ all: true, filters })) {
    const container = docker.getContainer(Id)
    const { Name, Args, Path, Config } = await container.inspect()
    if (isLeaked(JSON.stringify(Config.Env))) holders += 1
    if (isLeaked(JSON.stringify([Name, Args, Path, Config.Labels, Config.Cmd, Config.Entrypoint])))
      leaking.push(`what the engine shows of ${Name}`)
    if (isLeaked((await container.logs({ stdout: true, stderr: true })).toString())) leaking.push(`output of ${Name}`)
  }
  if (holders === 0) throw new Error('No container has the password: the search would find nothing')
  return leaking
}

/** All rows as text: what a dump has. */
async function leakingTables({ pool }: TestCluster, isLeaked: (text: string) => boolean, known: string) {
  const { rows: tables } = await pool.query<{ name: string }>(
    `SELECT quote_ident(table_name) AS name FROM information_schema.tables WHERE table_schema = 'public'`,
  )
  const leaking: string[] = []
  let isKnown = false
  for (const { name } of tables) {
    const { rows } = await pool.query<{ text: string }>(`SELECT t::text AS text FROM ${name} t`)
    isKnown ||= rows.some(({ text }) => text.includes(known))
    if (rows.some(({ text }) => isLeaked(text))) leaking.push(`the table ${name}`)
  }
  if (!isKnown) throw new Error('The search does not find the account in the database: it would find nothing')
  return leaking
}

/** Logs of the processes, their folders, and the files of the database with its write-ahead log. */
async function leakingFiles(folder: string, secrets: ReadonlySet<string>): Promise<string[]> {
  const grep = execFile('grep', [
    '--recursive',
    '--files-with-matches',
    '--text',
    '--fixed-strings',
    '--file=-',
    folder,
  ])
  let found = ''
  grep.stdout?.on('data', (chunk) => {
    found += chunk
  })
  grep.stdin?.end([...secrets].join('\n'))
  // 1: nothing was found; 2: a file went away meanwhile.
  await once(grep, 'close')
  return found.split('\n').filter(Boolean)
}
