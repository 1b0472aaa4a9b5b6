import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { buildSchema, type GraphQLObjectType, getNamedType, isObjectType } from 'graphql'
import { describe, expect, test } from 'vitest'
import { openApiDocument } from '../../src/api/rest/openapi/openapi.ts'

type Node = Record<string, unknown>

// What users read: the printed schema, and the document that /openapi.json answers with.
const schema = buildSchema(readFileSync(join(import.meta.dirname, '../../schema.graphql'), 'utf8'))
const document = JSON.parse(JSON.stringify(openApiDocument())) as Node
const schemas = (document.components as { schemas: Record<string, Node> }).schemas

/** Named schemas of the document → the type that shows the same thing. */
const TYPES: Record<string, string> = {
  ...Object.fromEntries(
    ['Account', 'App', 'AppEnv', 'AppEnvToken', 'AuditEntry', 'Credential', 'Deployment', 'LogLine', 'Member'].map(
      (name) => [name, name],
    ),
  ),
  ...Object.fromEntries(
    ['Operation', 'PendingChange', 'Pod', 'Region', 'Resources', 'Token', 'UserToken', 'Variable', 'Volume'].map(
      (name) => [name, name],
    ),
  ),
  AppListItem: 'App',
  AppEnvListItem: 'AppEnv',
  AppEnvStatus: 'AppEnv',
  Host: 'Host',
  Webhook: 'Webhook',
  WebhookDelivery: 'WebhookDelivery',
  UsageLine: 'UsageLine',
  UsageStatement: 'UsageStatement',
  Budget: 'Budget',
  GitHook: 'GitHook',
  GitDelivery: 'GitDelivery',
  AutoDeploy: 'AutoDeploy',
  PullRequestEnvs: 'PullRequestEnvs',
}

/** REST's name of a field → GraphQL's, where the two are not the same. */
const NAMES: Record<string, Record<string, string>> = {
  Account: { accountId: 'id' },
  App: { appId: 'id', appType: 'type' },
  AppEnv: { appEnvId: 'id', envVars: 'variables' },
  AuditEntry: { auditId: 'id' },
  CreateTokenPayload: { tokenId: 'id', token: 'secret' },
  RotateTokenPayload: { tokenId: 'id', token: 'secret' },
  Credential: { credentialId: 'id' },
  Deployment: { contentId: 'id', containerImage: 'image' },
  Host: { hostId: 'id' },
  Operation: { operationId: 'id' },
  Region: { region: 'code' },
  Token: { tokenId: 'id' },
  Variable: { _id: 'id' },
  Volume: { volumeId: 'id' },
  Webhook: { webhookId: 'id' },
  WebhookDelivery: { deliveryId: 'id' },
  GitHook: { gitHookId: 'id' },
  GitDelivery: { gitDeliveryId: 'id' },
}

interface Pair {
  place: string
  rest: unknown
  graphql: unknown
}

const resolved = (node: Node): Node =>
  typeof node.$ref === 'string' ? (schemas[node.$ref.split('/').at(-1) ?? ''] as Node) : node

/** The object that a property holds, in a list or not, null or not. */
function objectIn(property: Node): Node | null {
  const node = resolved(property)
  if (node.properties) return node
  const parts = [node.items, ...((node.anyOf as Node[] | undefined) ?? [])].filter(Boolean) as Node[]
  return parts.map(objectIn).find(Boolean) ?? null
}

/** Fields that both APIs have, at every depth. */
function pairs(place: string, node: Node, type: GraphQLObjectType): Pair[] {
  return Object.entries(node.properties as Record<string, Node>).flatMap(([name, property]) => {
    const field = type.getFields()[NAMES[type.name]?.[name] ?? name]
    if (!field) return []
    const rest = property.description ?? resolved(property).description
    const own = { place: `${place}.${name}`, rest, graphql: field.description }
    const [inner, innerType] = [objectIn(property), getNamedType(field.type)]
    return [own, ...(inner && isObjectType(innerType) ? pairs(own.place, inner, innerType) : [])]
  })
}

function typeNamed(name: string): GraphQLObjectType {
  const type = schema.getType(name)
  if (!isObjectType(type)) throw new Error(`No type ${name}`)
  return type
}

const different = (all: Pair[]) => all.filter(({ rest, graphql }) => rest !== graphql)

const answerOf = (operation: Node): Node => {
  const { content } = (operation.responses as Record<string, Node>)['200'] as Record<string, Record<string, Node>>
  return resolved(content?.['application/json']?.schema as Node)
}

describe('equal fields have equal descriptions in schema.graphql and in OpenAPI', () => {
  test('of everything that can be read', () => {
    const all = Object.entries(TYPES).flatMap(([id, type]) => {
      const node = schemas[id] ?? schemas[`${id}Answer`]
      return pairs(id, node as Node, typeNamed(type))
    })
    console.log(`${all.length} fields of ${Object.keys(TYPES).length} nouns are described in both APIs`)
    expect(all.length).toBeGreaterThan(150)
    expect(different(all)).toEqual([])
  })

  test('of everything that calls answer', () => {
    const operations = Object.values(document.paths as Record<string, Record<string, Node>>).flatMap(Object.values)
    const all = operations.flatMap((operation) => {
      const name = String(operation.operationId)
      const payload = schema.getType(`${name.charAt(0).toUpperCase()}${name.slice(1)}Payload`)
      return isObjectType(payload) ? pairs(name, answerOf(operation), payload) : []
    })
    console.log(`${all.length} fields of the answers to calls are described in both APIs`)
    expect(all.length).toBeGreaterThan(50)
    expect(different(all)).toEqual([])
  })
})
