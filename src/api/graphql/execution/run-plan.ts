import {
  type ExecutionResult,
  type FragmentDefinitionNode,
  GraphQLError,
  type GraphQLResolveInfo,
  type GraphQLSchema,
  locatedError,
  type OperationDefinitionNode,
} from 'graphql'
import { RowText } from '../../../storage/database/reads/row-text.ts'
import type { FieldPlan, ObjectPlan, OperationPlan, ValuePlan } from './planned.ts'
import { haveTexts } from './write-answer.ts'

type Path = GraphQLResolveInfo['path']
type Row = Readonly<Record<string, unknown>>

/** What is known of one execution, besides its plan. */
export interface Execution {
  schema: GraphQLSchema
  operation: OperationDefinitionNode
  fragments: Readonly<Record<string, FragmentDefinitionNode>>
  variableValues: GraphQLResolveInfo['variableValues']
  context: object
  rootValue: unknown
  /** Arguments that depend on variables. */
  args: readonly Readonly<Record<string, unknown>>[]
  errors: GraphQLError[]
  /** Whether the answer has rows as texts. */
  hasTexts: boolean
  /** Whether the caller may read guarded columns. */
  passesGuards: boolean
}

/**
 * Executes a planned query: the algorithm of the specification in the order of the usual executor, so that answers,
 * errors and their order are the same. What it leaves out is finding out again what a document means.
 */
export async function runPlan(execution: Execution, { root }: OperationPlan): Promise<ExecutionResult> {
  const { errors } = execution
  try {
    const data = (await executeFields(execution, root, execution.rootValue, undefined)) as ExecutionResult['data']
    const result = errors.length === 0 ? { data } : { errors, data }
    if (execution.hasTexts) haveTexts.add(result)
    return result
  } catch (error) {
    errors.push(error as GraphQLError)
    return { errors, data: null }
  }
}

function executeFields(execution: Execution, { fields }: ObjectPlan, source: unknown, path: Path | undefined): unknown {
  const results: Record<string, unknown> = {}
  let hasPromise = false
  try {
    for (const field of fields) {
      const result = executeField(execution, field, source, path)
      results[field.name] = result
      if (isPromise(result)) hasPromise = true
    }
  } catch (error) {
    if (!hasPromise) throw error
    // What the other fields reject with is handled too.
    const fail = () => {
      throw error
    }
    return settled(results).then(fail, fail)
  }
  return hasPromise ? settled(results) : results
}

/** The same object, once all of its values are there. */
function settled(results: Record<string, unknown>): Promise<unknown> {
  const waiting: Promise<unknown>[] = []
  for (const name in results) {
    const value = results[name]
    if (isPromise(value))
      waiting.push(
        value.then((resolved) => {
          results[name] = resolved
        }),
      )
  }
  return Promise.all(waiting).then(() => results)
}

function executeField(execution: Execution, field: FieldPlan, source: unknown, parent: Path | undefined): unknown {
  const { column, value: plan } = field
  if (plan.kind === 'typename') return plan.typeName
  let path: Path | undefined
  try {
    // Loaded columns are read without asking a resolver.
    if (column !== null && (!field.isGuarded || execution.passesGuards)) {
      const value = (source as Row)[column]
      if (value !== undefined) {
        if (plan.kind !== 'leaf') path = pathOf(field, parent)
        return completeValue(execution, field, plan, path, value)
      }
    }
    path = pathOf(field, parent)
    const at = path
    const result = resolve(execution, field, source, at)
    const completed = isPromise(result)
      ? result.then((resolved) => completeValue(execution, field, plan, at, resolved))
      : completeValue(execution, field, plan, at, result)
    return isPromise(completed) ? completed.catch((error) => failed(execution, field, plan, at, error)) : completed
  } catch (error) {
    return failed(execution, field, plan, path ?? pathOf(field, parent), error)
  }
}

const pathOf = ({ name, parentType }: FieldPlan, prev: Path | undefined): Path => ({
  prev,
  key: name,
  typename: parentType.name,
})

function resolve(execution: Execution, plan: FieldPlan, source: unknown, path: Path): unknown {
  const { field } = plan
  const argumentsOf = ({ args, argsIndex }: FieldPlan) => args ?? execution.args[argsIndex] ?? {}
  const given = argumentsOf(plan)
  const page = plan.page?.(plan, argumentsOf, execution.context)
  if (page) return page
  const info = infoOf(execution, plan, path)
  if (field.resolve) return field.resolve(source, { ...given }, execution.context, info)
  if ((typeof source !== 'object' || source === null) && typeof source !== 'function') return undefined
  const property = (source as Row)[field.name]
  return typeof property === 'function' ? property.call(source, { ...given }, execution.context, info) : property
}

function infoOf(execution: Execution, { field, nodes, parentType }: FieldPlan, path: Path): GraphQLResolveInfo {
  const { schema, fragments, rootValue, operation, variableValues } = execution
  return {
    fieldName: field.name,
    fieldNodes: nodes,
    returnType: field.type,
    parentType,
    path,
    schema,
    fragments,
    rootValue,
    operation,
    variableValues,
    getAbortSignal: () => undefined,
    getAsyncHelpers: () => HELPERS,
  }
}

const HELPERS: ReturnType<GraphQLResolveInfo['getAsyncHelpers']> = {
  promiseAll: (values) => Promise.all(values),
  track: () => {},
}

/** `path` is missing only for a leaf, which needs none unless it fails. */
function completeValue(
  execution: Execution,
  field: FieldPlan,
  plan: ValuePlan,
  path: Path | undefined,
  value: unknown,
): unknown {
  if (value instanceof Error) throw value
  const completed = value === null || value === undefined ? null : completePresent(execution, field, plan, path, value)
  if (completed === null && plan.isRequired)
    throw new Error(`Cannot return null for non-nullable field ${field.parentType.name}.${field.field.name}.`)
  return completed
}

function completePresent(
  execution: Execution,
  field: FieldPlan,
  plan: ValuePlan,
  path: Path | undefined,
  value: unknown,
): unknown {
  if (plan.kind === 'object') {
    if (!(value instanceof RowText)) return executeFields(execution, plan.plan, value, path)
    execution.hasTexts = true
    return value
  }
  if (plan.kind === 'list') return completeList(execution, field, plan.item, path as Path, value)
  if (plan.kind === 'typename') return plan.typeName
  const serialized = serialize(plan, value)
  if (serialized === null || serialized === undefined)
    throw new Error(`${field.parentType.name}.${field.field.name} was serialized to nothing`)
  return serialized
}

/** A value that its type cannot hold is a fault of ours; errors of GraphQL are read as faults of the request. */
function serialize(plan: Extract<ValuePlan, { kind: 'leaf' }>, value: unknown): unknown {
  try {
    return plan.serialize(value)
  } catch (error) {
    throw error instanceof GraphQLError ? new Error(error.message) : error
  }
}

function completeList(execution: Execution, field: FieldPlan, item: ValuePlan, path: Path, list: unknown): unknown {
  if (typeof list !== 'object' || list === null || !(Symbol.iterator in list))
    throw new Error(`Expected Iterable, but did not find one for field "${field.parentType.name}.${field.field.name}".`)
  const completed: unknown[] = []
  let hasPromise = false
  for (const value of list as Iterable<unknown>) {
    const result = completeItem(
      execution,
      field,
      item,
      { prev: path, key: completed.length, typename: undefined },
      value,
    )
    completed.push(result)
    if (isPromise(result)) hasPromise = true
  }
  return hasPromise ? Promise.all(completed) : completed
}

function completeItem(execution: Execution, field: FieldPlan, plan: ValuePlan, path: Path, value: unknown): unknown {
  try {
    const completed = isPromise(value)
      ? value.then((resolved) => completeValue(execution, field, plan, path, resolved))
      : completeValue(execution, field, plan, path, value)
    return isPromise(completed) ? completed.catch((error) => failed(execution, field, plan, path, error)) : completed
  } catch (error) {
    return failed(execution, field, plan, path, error)
  }
}

/** A required value that fails makes its parent fail; an optional one is null, with its error in the answer. */
function failed(execution: Execution, { nodes }: FieldPlan, plan: ValuePlan, path: Path, raw: unknown): null {
  const errors = raw instanceof AggregateError ? raw.errors : [raw]
  for (const one of errors) {
    const error = one instanceof Error ? one : new Error(String(one))
    const located = locatedError(error, [...nodes], keysOf(path))
    if (plan.isRequired) throw located
    execution.errors.push(located)
  }
  return null
}

function keysOf(path: Path): (string | number)[] {
  const keys: (string | number)[] = []
  for (let at: Path | undefined = path; at; at = at.prev) keys.push(at.key)
  return keys.reverse()
}

const isPromise = (value: unknown): value is Promise<unknown> =>
  typeof value === 'object' && value !== null && typeof (value as { then?: unknown }).then === 'function'
