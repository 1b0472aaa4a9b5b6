import type { z } from 'zod'
import { dryRun } from '../../resources/outcome.ts'
import { problem } from '../protocol/errors.ts'
import { BASE_PATH, type ReadRoute, type Route, type WriteRoute } from '../protocol/route.ts'
import { routes } from '../routes.ts'
import { accepted, headerRefs, headers, parameters, problemResponses, refusals } from './openapi-parts.ts'
import { type JsonSchema, SchemaCollection } from './openapi-schemas.ts'

const dryRunFields = { dryRun: dryRun.dryRun.type, changes: dryRun.changes.type }

const DESCRIPTION = `Send your token in the Authorization header, alone or after "Bearer ".
Every DELETE takes its fields in the query or as a JSON body.
Every write takes Idempotency-Key, If-Match, Prefer: wait and dryRun. Lists take limit and cursor.
Success is 200; a refusal is application/problem+json with a code, described at /docs/errors.
Operations marked x-dangerous take something away from users.
A dry run of a create answers without ids; x-dry-run-answer is the schema of that answer.`

/** The OpenAPI 3.1 document of v1, made from the path table and the schemas that validate. */
export function openApiDocument(): JsonSchema {
  const collection = new SchemaCollection()
  const paths: Record<string, JsonSchema> = {}
  for (const route of routes) {
    const operation = 'read' in route ? readOperation(route, collection) : writeOperation(route, collection)
    paths[route.path] = { ...paths[route.path], [route.method.toLowerCase()]: operation }
  }
  const problemSchema = collection.output(problem)
  return {
    openapi: '3.1.0',
    info: { title: 'Berth', version: '1', description: DESCRIPTION },
    servers: [{ url: BASE_PATH }],
    security: [{ token: [] }, { bearer: [] }],
    paths,
    components: {
      schemas: collection.schemas,
      parameters,
      headers,
      responses: problemResponses(problemSchema),
      securitySchemes: {
        token: { type: 'apiKey', in: 'header', name: 'Authorization', description: 'The token, without a scheme.' },
        bearer: { type: 'http', scheme: 'bearer', description: 'The same token, after "Bearer ".' },
      },
    },
  }
}

/** `/app-env/status` is about app-env: the noun that the first segment names. */
const tagOf = ({ path }: Route): string => (path.split('/')[1] ?? '').replace(/s$/, '')

const parameterRefs = (names: string[]) => names.map((name) => ({ $ref: `#/components/parameters/${name}` }))

function readOperation(route: ReadRoute, collection: SchemaCollection): JsonSchema {
  const { name, about, query, answer, isSingle } = route.read
  const shared = parameterRefs(isSingle ? ['IfNoneMatch', 'RequestId'] : ['RequestId'])
  const notModified = { description: 'The answer that you have is still right.', headers: headerRefs(['ETag']) }
  return {
    operationId: name,
    summary: about,
    tags: [tagOf(route)],
    parameters: [...queryParameters(collection.input(query)), ...shared],
    responses: {
      200: accepted(collection.output(answer), isSingle ? ['ETag'] : []),
      ...(isSingle ? { 304: notModified } : {}),
      ...refusals('read'),
    },
  }
}

function writeOperation(route: WriteRoute, collection: SchemaCollection): JsonSchema {
  const { name, about, dangerous, input } = route.command
  const schema = collection.input(input)
  const takesQuery = route.method === 'DELETE'
  const shared = parameterRefs(['DryRun', 'IdempotencyKey', 'IfMatch', 'Prefer', 'RequestId'])
  return {
    operationId: route.alias ?? name,
    summary: about,
    tags: [tagOf(route)],
    ...(dangerous ? { 'x-dangerous': true } : {}),
    ...dryRunAnswer(route, collection),
    parameters: [...(takesQuery ? queryParameters(schema) : []), ...shared],
    ...(takesQuery ? {} : { requestBody: { required: true, content: { 'application/json': { schema } } } }),
    responses: {
      200: accepted(collection.output(withDryRun(route)), [
        'ETag',
        'Operation-Location',
        'Idempotent-Replayed',
        'Operation-Status',
        'Preference-Applied',
      ]),
      ...refusals('write'),
    },
  }
}

function withDryRun({ answer }: WriteRoute): z.ZodObject {
  const { id, ...meta } = answer.meta() ?? {}
  return answer.extend(dryRunFields).meta({ ...meta, ...(id ? { id: `${id}Answer` } : {}) })
}

/**
 * A dry run creates nothing, and so has no ids to tell. Apart from the answer of the call itself: clients that are
 * generated from the document would otherwise have to expect every created id to be missing.
 */
function dryRunAnswer({ answer, command }: WriteRoute, collection: SchemaCollection): JsonSchema {
  if (!command.name.startsWith('create')) return {}
  return { 'x-dry-run-answer': collection.output(answer.partial().extend(dryRunFields).meta({ id: undefined })) }
}

function queryParameters({ properties = {}, required = [] }: JsonSchema): JsonSchema[] {
  return Object.entries(properties as Record<string, JsonSchema>).map(([name, { description, ...schema }]) => {
    return { name, in: 'query', description, required: (required as string[]).includes(name), schema }
  })
}
