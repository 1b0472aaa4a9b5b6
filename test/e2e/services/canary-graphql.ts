import {
  buildClientSchema,
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLSchema,
  getIntrospectionQuery,
  getNamedType,
  isEnumType,
  isLeafType,
  isNonNullType,
  isObjectType,
} from 'graphql'
import type { TestCluster } from '../../crash/harness/test-cluster.ts'
import { combinations } from './combinations.ts'

/** Objects within objects. The limits of documents allow no more of the largest ones. */
const DEPTHS = [5, 4, 3]
const SEVERAL = 'first: 10'

/** What shows the password on purpose. */
const CREDENTIALS = 'ServiceCredentials'

interface GraphqlAnswer {
  data?: unknown
  errors?: { message: string }[]
}

export type Shown = [place: string, text: string]

async function post({ ports, token }: TestCluster, query: string): Promise<{ text: string; answer: GraphqlAnswer }> {
  const response = await fetch(`http://127.0.0.1:${ports.api[0]}/graphql`, {
    method: 'POST',
    headers: { authorization: token, 'content-type': 'application/json' },
    body: JSON.stringify({ query }),
  })
  const text = await response.text()
  return { text, answer: JSON.parse(text) as GraphqlAnswer }
}

/** Every query of the schema with all of its fields, as far as the ids at hand suffice for its arguments. */
export async function readGraphql(cluster: TestCluster, ids: Readonly<Record<string, string>>): Promise<Shown[]> {
  const { answer } = await post(cluster, getIntrospectionQuery())
  const schema = buildClientSchema(answer.data as Parameters<typeof buildClientSchema>[0])
  const shown: Shown[] = []
  for (const field of Object.values(queriesOf(schema)))
    for (const given of argumentsOf(field, ids)) shown.push(await readWhole(cluster, field, given))
  const found = shown.filter(([, text]) => text.includes(ids.appEnvId ?? ''))
  if (shown.length < 20 || found.length < 5)
    throw new Error(`${shown.length} queries were asked, and ${found.length} show the service: the search is too small`)
  return shown
}

const queriesOf = (schema: GraphQLSchema) => schema.getQueryType()?.getFields() ?? {}

/** Each value of an argument that has a list of them; none where an argument is required and nothing is known for it. */
function argumentsOf(field: GraphQLField<unknown, unknown>, ids: Readonly<Record<string, string>>): string[][] {
  const idOfType = `${getNamedType(field.type).name.replace(/^\w/, (first) => first.toLowerCase())}Id`
  const choices = field.args.map((argument) => valuesOf(argument, ids, idOfType))
  const isLacking = field.args.some(({ type }, at) => isNonNullType(type) && choices[at]?.length === 0)
  if (isLacking) return []
  return combinations(choices)
}

function valuesOf({ name, type }: GraphQLArgument, ids: Readonly<Record<string, string>>, idOfType: string): string[] {
  if (name === 'first') return [SEVERAL]
  const id = ids[name === 'id' ? idOfType : name]
  if (id !== undefined) return [`${name}: ${JSON.stringify(id)}`]
  const named = getNamedType(type)
  return isEnumType(named) ? named.getValues().map((value) => `${name}: ${value.name}`) : []
}

/** With as many levels as the limits of documents allow. */
async function readWhole(
  cluster: TestCluster,
  field: GraphQLField<unknown, unknown>,
  given: readonly string[],
): Promise<Shown> {
  let refusal = ''
  for (const depth of DEPTHS) {
    const asked = given.length > 0 ? `(${given.join(', ')})` : ''
    const query = `{ ${field.name}${asked} ${selection(field.type, depth)} }`
    const { text, answer } = await post(cluster, query)
    if (answer.data) return [`GraphQL ${field.name}${asked}`, text]
    refusal = text
  }
  // Not an answer, but an error is one of the places that are searched; it has to be a refusal of what was asked.
  if (/GRAPHQL_|syntax/i.test(refusal)) throw new Error(`GraphQL ${field.name} was not understood: ${refusal}`)
  return [`GraphQL ${field.name}`, refusal]
}

function selection(type: GraphQLOutputType, depth: number): string {
  const named = getNamedType(type)
  if (!isObjectType(named)) return isLeafType(named) ? '' : '{ __typename }'
  return `{ __typename ${fieldsOf(named, depth).join(' ')} }`
}

function fieldsOf(type: GraphQLObjectType, depth: number): string[] {
  return Object.values(type.getFields()).flatMap((field) => {
    const named = getNamedType(field.type)
    if (named.name === CREDENTIALS || field.args.some((argument) => isNonNullType(argument.type))) return []
    if (isLeafType(named)) return [field.name]
    if (depth === 0) return []
    const paged = field.args.some(({ name }) => name === 'first') ? `(${SEVERAL})` : ''
    return [`${field.name}${paged} ${selection(field.type, depth - 1)}`]
  })
}

/** What both APIs say when they refuse something that has to do with the service. */
export async function refusals(cluster: TestCluster, { appEnvId }: Readonly<Record<string, string>>): Promise<Shown[]> {
  const shown: Shown[] = []
  const [settings, version, image, backupKey] = [{ nonsense: 1 }, 'NONSENSE_1', 'nginx:1', 'bak_nonsense']
  const writes = [
    ['PUT', '/app-env', { appEnvId, databaseSettings: settings }],
    ['PUT', '/app-env', { appEnvId, dockerPresetVersion: version }],
    ['POST', '/app-env/deploy-image', { appEnvId, image }],
    ['POST', '/app-env/backup-restore', { appEnvId, backupKey }],
  ] as const
  for (const [method, path, body] of writes) {
    const { status, text } = await cluster.call(method, path, body)
    if (status < 400) throw new Error(`${method} ${path} was not refused: ${text}`)
    shown.push([`the refusal of ${method} ${path}`, text])
  }
  const env = `appEnvId: ${JSON.stringify(appEnvId)}`
  const documents = [
    `mutation { updateAppEnv(input: { ${env}, databaseSettings: { nonsense: 1 } }) { __typename } }`,
    `mutation { updateAppEnv(input: { ${env}, dockerPresetVersion: "${version}" }) { __typename } }`,
    `mutation { deployImage(input: { ${env}, image: "${image}" }) { __typename } }`,
    `mutation { restoreBackup(input: { ${env}, backupKey: "${backupKey}" }) { __typename } }`,
    `{ appEnv(id: ${JSON.stringify(appEnvId)}) { credentials { nonsense } } }`,
  ]
  for (const document of documents) {
    const { text, answer } = await post(cluster, document)
    if (!answer.errors) throw new Error(`${document} was not refused: ${text}`)
    shown.push([`the refusal of ${document}`, text])
  }
  return shown
}
