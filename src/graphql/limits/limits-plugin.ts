import {
  type DocumentNode,
  type FragmentDefinitionNode,
  type GraphQLError,
  getOperationAST,
  Kind,
  NoSchemaIntrospectionCustomRule,
  type OperationDefinitionNode,
} from 'graphql'
import type { Plugin } from 'graphql-yoga'
import type { Config } from '../../config/config.ts'
import type { GraphQLContext } from '../context.ts'
import { costOf, type Variables } from './cost.ts'
import { documentRule, tooMuch } from './document-rules.ts'

type ExecutionArgs = Parameters<NonNullable<Plugin['onExecute']>>[0]['args']

/**
 * All limits on an operation in one plugin: HTTP, WebSocket and SSE all use it, and it refuses before any resolver
 * runs.
 */
export function limitsPlugin(config: Config): Plugin {
  const rule = documentRule(config)
  const refuse = ({
    args,
    setResultAndStopExecution: stop,
  }: {
    args: ExecutionArgs
    setResultAndStopExecution: Stop
  }) => {
    const refusal = refusalOf(args, config.BERTH_GRAPHQL_MAX_COST)
    if (refusal) stop({ errors: [refusal] })
  }
  return {
    onParse({ parseFn, setParseFn }) {
      setParseFn((source, options) => parseBounded(parseFn, source, options, config.BERTH_GRAPHQL_MAX_TOKENS))
    },
    onValidate({ addValidationRule }) {
      addValidationRule(rule)
      if (!config.BERTH_GRAPHQL_INTROSPECTION) addValidationRule(NoSchemaIntrospectionCustomRule)
    },
    onExecute: refuse,
    onSubscribe: ({ args, setResultAndStopExecution }) =>
      refuse({ args, setResultAndStopExecution: setResultAndStopExecution as Stop }),
  }
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

type Stop = (result: { errors: GraphQLError[] }) => void

interface Prepared {
  operation: OperationDefinitionNode
  fragments: Map<string, FragmentDefinitionNode>
  /** True for pure introspection, which needs no token. */
  isIntrospection: boolean
  /** The cost, if no variable changes it. */
  cost: ReturnType<typeof costOf> | null
}

const prepared = new WeakMap<DocumentNode, Map<string, Prepared>>()

function refusalOf(args: ExecutionArgs, maxCost: number): GraphQLError | null {
  const found = prepare(args)
  // Without an operation, the executor itself has the right message.
  if (!found) return null
  const { refusal } = args.contextValue as unknown as GraphQLContext
  if (refusal && !found.isIntrospection) throw refusal
  const { cost, problems } = found.cost ?? reckon(args, found)
  const [first] = problems
  if (first) return tooMuch(first.reason, problems.map((problem) => problem.message).join('; '))
  if (cost > maxCost) {
    return tooMuch(
      'TOO_COSTLY',
      `This may ask for ${cost} values, and ${maxCost} are allowed: ask for smaller pages (first:) or less of each`,
    )
  }
  return null
}

function reckon({ schema, variableValues }: ExecutionArgs, { operation, fragments }: Omit<Prepared, 'cost'>) {
  const variables: Record<string, unknown> = { ...(variableValues as Variables | undefined) }
  for (const { variable, defaultValue } of operation.variableDefinitions ?? []) {
    if (defaultValue?.kind === Kind.INT) variables[variable.name.value] ??= Number(defaultValue.value)
    if (defaultValue?.kind === Kind.STRING) variables[variable.name.value] ??= defaultValue.value
  }
  return costOf(schema, operation, fragments, variables)
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
  const found = { operation, fragments, isIntrospection }
  const entry: Prepared = { ...found, cost: hasVariables ? null : reckon(args, found) }
  prepared.set(document, known.set(operationName ?? '', entry))
  return entry
}
