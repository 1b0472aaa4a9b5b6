import type { z } from 'zod'
import { alternativesInWords } from '../../../calls/alternatives.ts'
import { dryRun } from '../../../calls/outcome.ts'
import { paging } from '../../../calls/query.ts'
import type { ErrorCode } from '../../../domain/errors.ts'
import { GROUPS } from '../../../services/catalogue.ts'
import { problem } from '../protocol/errors.ts'
import { representedBy } from '../protocol/representation.ts'
import { BASE_PATH, type ReadRoute, type Route, type WriteRoute } from '../protocol/route.ts'
import { routes } from '../routes.ts'
import { exampleAnswer, exampleRequest } from './examples.ts'
import {
  accepted,
  errorTable,
  headerRefs,
  headers,
  parameters,
  problemResponses,
  refusedRead,
  refusedWrite,
} from './openapi-parts.ts'
import { type JsonSchema, SchemaCollection } from './openapi-schemas.ts'
import { webhookParameters, webhookResponses, webhooksOf } from './openapi-webhooks.ts'

const dryRunFields = { dryRun: dryRun.dryRun.type, changes: dryRun.changes.type }

/** Each part is a heading of the documentation. */
const description =
  () => `Berth hosts applications: accounts own apps, an app has environments, and an environment serves
versions. GraphQL at [/graphql](/graphql) has the same ids, codes and permissions.

## Authorization

Send your token in the header \`Authorization\`, alone or after \`Bearer\`. Berth keeps the admin token in the
file \`admin-token\` of its data directory.

    curl -H "Authorization: $TOKEN" http://127.0.0.1:4000${BASE_PATH}/apps

## Writes

Every write takes four options, whatever it does:

- \`Prefer: wait=60\` answers when what the call has begun has ended: its operation, job run or other work.
- \`Prefer: return=representation\` answers with the whole object, as its GET shows it: \`x-representation\` says which.
- \`Idempotency-Key\` makes it safe to repeat: the repeat gets the first answer.
- \`dryRun=true\` validates and answers, and changes nothing. \`If-Match\` refuses a write to something that has changed.

Calls with the badge *dangerous* (\`x-dangerous\`) take something away from users. Lists take \`limit\` and \`cursor\`.
Every DELETE takes its fields in the query or as a JSON body. A dry run of what makes ids or secrets answers without them, as
\`x-dry-run-answer\` says.

## Errors

Success is 200. A refusal is \`application/problem+json\` with a \`code\`, and often a finer \`reason\`:
[all of them](/docs/errors).

${errorTable()}`

/** The OpenAPI 3.1 document of v1, made from the path table and the schemas that validate. */
export function openApiDocument(): JsonSchema {
  const collection = new SchemaCollection()
  const paths: Record<string, JsonSchema> = {}
  for (const route of routes) {
    const operation = 'read' in route ? readOperation(route, collection) : writeOperation(route, collection)
    paths[route.path] = { ...paths[route.path], [route.method.toLowerCase()]: operation }
  }
  const webhooks = webhooksOf(collection)
  const problemSchema = collection.output(problem)
  return {
    openapi: '3.1.0',
    info: {
      title: 'Berth REST API',
      version: '1',
      description: description(),
      license: { name: 'Apache License 2.0', identifier: 'Apache-2.0' },
      contact: { name: 'The operator of this installation' },
    },
    servers: [{ url: BASE_PATH }],
    security: [{ bearer: [] }, { token: [] }],
    tags: tagsOf(routes),
    paths,
    webhooks,
    components: {
      schemas: collection.schemas,
      parameters: { ...parameters, ...webhookParameters },
      headers,
      responses: { ...problemResponses(problemSchema, routes.flatMap(ownRefusals)), ...webhookResponses },
      securitySchemes: {
        token: { type: 'apiKey', in: 'header', name: 'Authorization', description: 'The token, without a scheme.' },
        bearer: { type: 'http', scheme: 'bearer', description: 'The token, after "Bearer ".' },
      },
    },
  }
}

/** Codes that not every call may be refused with. */
const ownRefusals = (route: Route): readonly ErrorCode[] =>
  'read' in route ? route.read.refusals : (route.command.progress?.refusals ?? [])

const parameterRefs = (names: string[]) => names.map((name) => ({ $ref: `#/components/parameters/${name}` }))

function readOperation(route: ReadRoute, collection: SchemaCollection): JsonSchema {
  const { name, about, example, query, answer, isSingle, mayBeCsv } = route.read
  const shared = parameterRefs(isSingle ? ['IfNoneMatch', 'RequestId'] : ['RequestId'])
  const notModified = { description: 'The answer that you have is still right.', headers: headerRefs(['ETag']) }
  const [asked, shown] = [collection.input(query), collection.answerOf(name, answer)]
  const request = exampleRequest(example, asked, collection)
  const asksForSomething = Object.keys(query.shape).some((field) => !(field in paging))
  const done = accepted(shown, isSingle ? ['ETag'] : [], exampleAnswer(example, route.path, shown, collection))
  const csv = { 'text/csv': { schema: { type: 'string' } } }
  return {
    operationId: name,
    summary: titleOf(name),
    // Parameters have no schema in common that could say it.
    description: [about, ...alternativesInWords(query.shape)].join(' '),
    tags: [route.group],
    parameters: [...queryParameters(asked, request, collection), ...shared],
    responses: {
      200: mayBeCsv ? { ...done, content: { ...(done.content as JsonSchema), ...csv } } : done,
      ...(isSingle ? { 304: notModified } : {}),
      ...refusedRead(asksForSomething, ownRefusals(route)),
    },
  }
}

function writeOperation(route: WriteRoute, collection: SchemaCollection): JsonSchema {
  const { name, about, example = {}, dangerous, input } = route.command
  const takesQuery = route.method === 'DELETE'
  const schema = takesQuery ? collection.input(input) : collection.inputOf(name, input)
  const request = exampleRequest(example, schema, collection)
  const shown = collection.answerOf(name, withDryRun(route))
  const shared = parameterRefs(['DryRun', 'IdempotencyKey', 'IfMatch', 'Prefer', 'RequestId'])
  return {
    operationId: route.alias ?? name,
    summary: titleOf(route.alias ?? name),
    description: about,
    tags: [route.group],
    ...(dangerous ? { 'x-dangerous': true, 'x-badges': [{ name: 'dangerous', color: '#b3402a' }] } : {}),
    ...dryRunAnswer(route, collection),
    ...representation(route, collection),
    parameters: [...(takesQuery ? queryParameters(schema, request, collection) : []), ...shared],
    ...(takesQuery
      ? {}
      : { requestBody: { required: true, content: { 'application/json': { schema, example: request } } } }),
    responses: {
      200: accepted(
        shown,
        ['ETag', 'Operation-Location', 'Idempotent-Replayed', 'Operation-Status', 'Preference-Applied'],
        exampleAnswer(example, route.path, shown, collection),
      ),
      ...refusedWrite(ownRefusals(route)),
    },
  }
}

/** What a write answers, to a dry run too unless `answerOfDryRun` has another. */
export function withDryRun({ answer }: WriteRoute): z.ZodObject {
  const { id, ...meta } = answer.meta() ?? {}
  return answer.extend(dryRunFields).meta({ ...meta, ...(id ? { id: `${id}Answer` } : {}) })
}

/**
 * A dry run creates nothing, so its answer has no ids and no secrets. Apart from the answer of the call itself: clients
 * that are generated from the document would otherwise have to expect every created id to be missing.
 */
export const answerOfDryRun = ({ answer, command }: WriteRoute): z.ZodObject | null =>
  /^(create|rotate)/.test(command.name) ? answer.partial().extend(dryRunFields).meta({ id: undefined }) : null

function dryRunAnswer(route: WriteRoute, collection: SchemaCollection): JsonSchema {
  const answer = answerOfDryRun(route)
  return answer ? { 'x-dry-run-answer': collection.output(answer) } : {}
}

/** The answer to `Prefer: return=representation`. Apart, too: the usual answer has its one type. */
function representation(route: WriteRoute, collection: SchemaCollection): JsonSchema {
  const represented = representedBy(route, routes)
  if (!represented) return {}
  return { 'x-representation': collection.answerOf(represented.read.name, represented.read.answer) }
}

function queryParameters(
  { properties = {}, required = [] }: JsonSchema,
  examples: Record<string, unknown>,
  collection: SchemaCollection,
): JsonSchema[] {
  return Object.entries(properties as Record<string, JsonSchema>).map(([name, { description: own, ...schema }]) => {
    const description = own ?? collection.resolve(schema).description
    const example = name in examples ? { example: examples[name] } : {}
    return { name, in: 'query', description, required: (required as string[]).includes(name), schema, ...example }
  })
}

/** The groups of these routes, with their words. */
function tagsOf(routes: readonly Route[]) {
  const used = new Set(routes.map(({ group }) => group))
  return GROUPS.filter(({ name }) => used.has(name)).map(({ name, description }) => ({ name, description }))
}

/** `deployImage` → "Deploy image": short enough for a list of all calls. */
export function titleOf(operationId: string): string {
  const words = operationId.replace(/AppEnvs?/g, (noun) => noun.replace('AppEnv', 'Environment'))
  const title = words.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
  return title.charAt(0).toUpperCase() + title.slice(1)
}
