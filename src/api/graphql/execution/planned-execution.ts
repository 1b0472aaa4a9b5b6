import {
  type DocumentNode,
  type FragmentDefinitionNode,
  GraphQLError,
  type GraphQLSchema,
  getArgumentValues,
  getOperationAST,
  getVariableValues,
  Kind,
  type OperationDefinitionNode,
  visit,
} from 'graphql'
import type { Plugin } from 'graphql-yoga'
import type { GraphQLContext } from '../context.ts'
import { passesGuards } from '../derive/guarded-fields.ts'
import { conditionOf } from './collect-fields.ts'
import { planOperation, Unplanned } from './plan.ts'
import type { OperationPlan } from './planned.ts'
import { runPlan } from './run-plan.ts'

/** How often an operation was executed by its plan, and how often as usual, for tests. */
export const executionCounts = { planned: 0, asUsual: 0 }

/** Each set of values of the variables in `@skip` and `@include` has a plan of its own. */
const MAX_PLANS = 8

interface Planned {
  schema: GraphQLSchema
  operation: OperationDefinitionNode
  fragments: Record<string, FragmentDefinitionNode>
  /** Variables that decide which fields there are. */
  conditions: string[]
  /** By the values of these. */
  plans: Map<string, OperationPlan | null>
}

/** Kept as long as the document is, by the cache of documents. */
const known = new WeakMap<DocumentNode, Map<string, Planned | null>>()

type Hook = Parameters<NonNullable<Plugin['onExecute']>>[0]
type Args = Parameters<Parameters<Hook['setExecuteFn']>[0]>[0]

/** Executes queries by plans, which are made once for each document. What plans do not know is executed as usual. */
export const plannedExecution = (): Plugin => ({
  onExecute({ executeFn, setExecuteFn }) {
    setExecuteFn((args: Args) => {
      const answer = execute(args)
      if (answer) executionCounts.planned += 1
      else executionCounts.asUsual += 1
      return answer ?? executeFn(args)
    })
  },
})

function execute(args: Args) {
  const context = args.contextValue as unknown as GraphQLContext
  // A request without a token is refused, or asks for the schema.
  const planned = context.refusal ? null : plannedOf(args.document, args.operationName ?? null, args.schema)
  if (!planned) return null
  const { schema, operation, fragments } = planned
  const { variableValues } = getVariableValues(schema, operation.variableDefinitions ?? [], args.variableValues ?? {})
  const plan = variableValues && planFor(planned, variableValues.coerced)
  if (!plan) return null
  try {
    const given = plan.withVariables.map(({ field, nodes: [node] }) =>
      getArgumentValues(field, node as NonNullable<typeof node>, variableValues),
    )
    const values = {
      variableValues,
      context,
      rootValue: args.rootValue,
      args: given,
      passesGuards: passesGuards(context),
    }
    return runPlan({ schema, operation, fragments, ...values, errors: [], hasTexts: false }, plan)
  } catch (error) {
    // The usual executor refuses the field.
    if (error instanceof GraphQLError) return null
    throw error
  }
}

function plannedOf(document: DocumentNode, operationName: string | null, schema: GraphQLSchema): Planned | null {
  const names = known.get(document) ?? new Map<string, Planned | null>()
  const found = names.get(operationName ?? '')
  if (found !== undefined) return found
  const operation = getOperationAST(document, operationName)
  // Not kept: callers name as many operations that are not there as they like.
  if (operation?.operation !== 'query') return null
  const planned = describe(document, operation, schema)
  known.set(document, names.set(operationName ?? '', planned))
  return planned
}

function describe(document: DocumentNode, operation: OperationDefinitionNode, schema: GraphQLSchema): Planned | null {
  const fragments: Record<string, FragmentDefinitionNode> = Object.create(null)
  for (const definition of document.definitions) {
    if (definition.kind === Kind.FRAGMENT_DEFINITION) fragments[definition.name.value] = definition
  }
  const conditions = new Set<string>()
  let isKnown = true
  visit(document, {
    Directive(directive) {
      if (directive.name.value !== 'skip' && directive.name.value !== 'include') isKnown = false
      const condition = conditionOf(directive)
      if (typeof condition === 'string') conditions.add(condition)
    },
  })
  return isKnown ? { schema, operation, fragments, conditions: [...conditions], plans: new Map() } : null
}

function planFor(planned: Planned, values: Readonly<Record<string, unknown>>): OperationPlan | null {
  const key = planned.conditions.map((name) => String(values[name])).join()
  const found = planned.plans.get(key)
  if (found !== undefined) return found
  if (planned.plans.size >= MAX_PLANS) return null
  const plan = make(planned, values)
  planned.plans.set(key, plan)
  return plan
}

function make({ schema, operation, fragments }: Planned, values: Readonly<Record<string, unknown>>) {
  try {
    return planOperation({ schema, fragments, conditions: values }, operation)
  } catch (error) {
    if (error instanceof Unplanned || error instanceof GraphQLError) return null
    throw error
  }
}
