import {
  type DocumentNode,
  type ExecutionResult,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLError,
  getOperationAST,
  Kind,
  NoSchemaIntrospectionCustomRule,
  type OperationDefinitionNode,
  type SelectionSetNode,
} from 'graphql'
import type { Plugin } from 'graphql-yoga'
import type { Config } from '../../../config/config.ts'
import type { GraphQLContext } from '../context.ts'
import { costOf, type Variables } from './cost.ts'
import { documentRule, tooMuch } from './document-rules.ts'
import { IntrospectionCache } from './introspection-cache.ts'
import { introspectionSize, maxIntrospection } from './introspection-size.ts'

type ExecutionArgs = Parameters<NonNullable<Plugin['onExecute']>>[0]['args']

/**
 * All limits on an operation in one plugin: HTTP, WebSocket and SSE all use it, and it refuses before any resolver
 * runs.
 */
export function limitsPlugin(config: Config): Plugin {
  const rule = documentRule(config)
  const cache = new IntrospectionCache()
  const maxCost = config.BERTH_GRAPHQL_MAX_COST
  return {
    onParse({ parseFn, setParseFn }) {
      setParseFn((source, options) => parseBounded(parseFn, source, options, config.BERTH_GRAPHQL_MAX_TOKENS))
    },
    onValidate({ addValidationRule }) {
      addValidationRule(rule)
      if (!config.BERTH_GRAPHQL_INTROSPECTION) addValidationRule(NoSchemaIntrospectionCustomRule)
    },
    onExecute: ({ args, setResultAndStopExecution: stop }) => {
      const found = prepare(args)
      // Without an operation, the executor itself has the right message.
      if (!found) return undefined
      if (found.isIntrospection) return answerIntrospection({ args, found, cache, maxCost, stop })
      const refusal = refusalOf(args, found, maxCost)
      if (refusal) stop({ errors: [refusal] })
      return undefined
    },
    onSubscribe: ({ args, setResultAndStopExecution: stop }) => {
      const found = prepare(args)
      const refusal = found && refusalOf(args, found, maxCost)
      if (refusal) stop({ errors: [refusal] } as never)
    },
  }
}

interface Introspecting {
  args: ExecutionArgs
  found: Prepared
  cache: IntrospectionCache
  maxCost: number
  stop: Stop
}

/** From the cache; otherwise the work is counted in the budget of a caller without a token, and its answer kept. */
async function answerIntrospection({ args, found, cache, maxCost, stop }: Introspecting) {
  const key = cache.keyOf(args.document, args.operationName, args.variableValues)
  const kept = cache.find(key)
  if (kept) {
    stop(kept)
    return undefined
  }
  const { refusal: withoutCaller, admission, address } = args.contextValue as unknown as GraphQLContext
  // Also when it is refused below: counting has taken as long.
  const requests = Math.floor(introspectionOf(args, found) / VALUES_PER_REQUEST)
  if (withoutCaller) await admission?.chargeAnonymous(address, requests)
  const refusal = refusalOf(args, found, maxCost)
  if (!refusal)
    return { onExecuteDone: ({ result }: { result: unknown }) => cache.keep(key, result as ExecutionResult) }
  stop({ errors: [refusal] })
  return undefined
}

type Parse = (source: string, options: object) => DocumentNode

function parseBounded(parse: Parse, source: string, options: object, maxTokens: number): DocumentNode {
  try {
    return parse(source, { ...options, maxTokens })
  } catch (error) {
    if (!(error instanceof Error && /more than \d+ tokens/.test(error.message))) throw error
    throw tooMuch('TOO_MANY_TOKENS', `A document may have ${maxTokens} tokens; this has more`)
  }
}

type Stop = (result: ExecutionResult) => void

/** So many values of the schema cost as much as one request, because answering them takes as long. */
const VALUES_PER_REQUEST = 1_000

interface Prepared {
  operation: OperationDefinitionNode
  fragments: Map<string, FragmentDefinitionNode>
  /** True for pure introspection, which needs no token. */
  isIntrospection: boolean
  /** The fields that ask for the schema. */
  introspection: FieldNode[]
  /** The cost, if no variable changes it. */
  cost: ReturnType<typeof costOf> | null
  /** The values of the schema that it asks for, if no variable changes them. */
  introspectionSize: number | null
}

const prepared = new WeakMap<DocumentNode, Map<string, Prepared>>()

function refusalOf(args: ExecutionArgs, found: Prepared, maxCost: number): GraphQLError | null {
  const { refusal } = args.contextValue as unknown as GraphQLContext
  if (refusal && !found.isIntrospection) throw refusal
  const most = maxIntrospection(args.schema)
  if (introspectionOf(args, found) > most)
    return tooMuch('TOO_COSTLY', `This asks for more than ${most} values of the schema: ask for each of its parts once`)
  const { cost, parts, problems } = found.cost ?? reckon(args, found)
  const [first] = problems
  if (first) return tooMuch(first.reason, problems.map((problem) => problem.message).join('; '))
  if (cost > maxCost) {
    const dearest = parts[0]?.field ?? ''
    return tooMuch(
      'TOO_COSTLY',
      `This may ask for ${cost} objects, most of them by ${dearest}, and ${maxCost} are allowed: ask for smaller pages (first:) or fewer fields; ten scalar fields count as one object`,
      { cost: { requested: cost, allowed: maxCost, parts } },
    )
  }
  return null
}

type Parts = Pick<Prepared, 'operation' | 'fragments' | 'introspection'>

function reckon(args: ExecutionArgs, parts: Parts) {
  return costOf(args.schema, parts.operation, parts.fragments, variablesOf(args, parts))
}

function introspectionOf(args: ExecutionArgs, found: Prepared): number {
  return found.introspectionSize ?? sizeOfIntrospection(args, found)
}

function sizeOfIntrospection(args: ExecutionArgs, { introspection, ...parts }: Parts): number {
  const most = maxIntrospection(args.schema)
  const variables = variablesOf(args, parts)
  let size = 0
  for (const field of introspection) {
    if (size <= most) size += introspectionSize(args.schema, field, parts.fragments, variables, most - size)
  }
  return size
}

function variablesOf({ variableValues }: ExecutionArgs, { operation }: Pick<Parts, 'operation'>): Variables {
  const variables: Record<string, unknown> = { ...(variableValues as Variables | undefined) }
  for (const { variable, defaultValue } of operation.variableDefinitions ?? []) {
    if (defaultValue?.kind === Kind.INT) variables[variable.name.value] ??= Number(defaultValue.value)
    if (defaultValue?.kind === Kind.STRING) variables[variable.name.value] ??= defaultValue.value
    if (defaultValue?.kind === Kind.BOOLEAN) variables[variable.name.value] ??= defaultValue.value
  }
  return variables
}

function prepare(args: ExecutionArgs): Prepared | null {
  const { document, operationName } = args
  const known = prepared.get(document) ?? new Map<string, Prepared>()
  const cached = known.get(operationName ?? '')
  if (cached) return cached
  const operation = getOperationAST(document, operationName)
  if (!operation) return null
  const fragments = new Map<string, FragmentDefinitionNode>()
  for (const definition of document.definitions) {
    if (definition.kind === Kind.FRAGMENT_DEFINITION) fragments.set(definition.name.value, definition)
  }
  const { selections } = operation.selectionSet
  const isIntrospection = selections.every((field) => field.kind === Kind.FIELD && field.name.value.startsWith('__'))
  const hasVariables = (operation.variableDefinitions ?? []).length > 0
  const parts = { operation, fragments, introspection: introspectionFields(operation.selectionSet, fragments) }
  const found: Prepared = {
    ...parts,
    isIntrospection,
    cost: hasVariables ? null : reckon(args, parts),
    introspectionSize: hasVariables ? null : sizeOfIntrospection(args, parts),
  }
  prepared.set(document, known.set(operationName ?? '', found))
  return found
}

/** `__schema` and `__type`, which stand only at the top, perhaps in fragments; each fragment is read once. */
function introspectionFields(
  { selections }: SelectionSetNode,
  fragments: ReadonlyMap<string, FragmentDefinitionNode>,
  read = new Set<string>(),
): FieldNode[] {
  return selections.flatMap((selection) => {
    if (selection.kind === Kind.FIELD) return /^__(schema|type)$/.test(selection.name.value) ? [selection] : []
    if (selection.kind === Kind.INLINE_FRAGMENT) return introspectionFields(selection.selectionSet, fragments, read)
    const fragment = fragments.get(selection.name.value)
    if (!fragment || read.has(selection.name.value)) return []
    return introspectionFields(fragment.selectionSet, fragments, read.add(selection.name.value))
  })
}
