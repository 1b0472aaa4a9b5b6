import {
  type FieldNode,
  type GraphQLObjectType,
  type GraphQLOutputType,
  getArgumentValues,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
  type ValueNode,
} from 'graphql'
import { isGuarded } from '../derive/guarded-fields.ts'
import { type Collecting, collectFields } from './collect-fields.ts'
import type { FieldPlan, ObjectPlan, OperationPlan, ValuePlan } from './planned.ts'
import { textPage } from './text-page.ts'

/** Thrown for what plans do not know: the usual executor answers the operation. */
export class Unplanned extends Error {}

interface Planning extends Collecting {
  withVariables: FieldPlan[]
}

/** Plans a query for one set of values of its conditions. Throws `Unplanned`. */
export function planOperation(collecting: Collecting, operation: OperationDefinitionNode): OperationPlan {
  const root = collecting.schema.getQueryType()
  if (operation.operation !== 'query' || !root) throw new Unplanned('no query')
  const planning: Planning = { ...collecting, withVariables: [] }
  return { root: planObject(planning, root, [operation.selectionSet]), withVariables: planning.withVariables }
}

function planObject(planning: Planning, type: GraphQLObjectType, sets: readonly SelectionSetNode[]): ObjectPlan {
  if (type.isTypeOf) throw new Unplanned('isTypeOf')
  const collected = collectFields(planning, type, sets)
  return { fields: [...collected].map(([name, nodes]) => planField(planning, type, name, nodes)) }
}

function planField(planning: Planning, parentType: GraphQLObjectType, name: string, nodes: FieldNode[]): FieldPlan {
  const [first] = nodes as [FieldNode]
  // As a property it would be the prototype of the answer.
  if (name === '__proto__') throw new Unplanned(name)
  if (first.name.value === '__typename') return typenamePlan(parentType, name, nodes)
  const field = parentType.getFields()[first.name.value]
  if (!field) throw new Unplanned(first.name.value)
  const column = field.extensions.pothosPrismaVariant
  const plan: FieldPlan = {
    name,
    field,
    nodes,
    parentType,
    argsIndex: -1,
    args: null,
    page: null,
    column: typeof column === 'string' ? column : null,
    isGuarded: isGuarded(field),
    value: planValue(planning, field.type, nodes),
  }
  plan.page = textPage(field, plan.value)
  if (!(first.arguments ?? []).some(({ value }) => hasVariable(value))) plan.args = getArgumentValues(field, first)
  else plan.argsIndex = planning.withVariables.push(plan) - 1
  return plan
}

function typenamePlan(parentType: GraphQLObjectType, name: string, nodes: FieldNode[]): FieldPlan {
  const value = { kind: 'typename', typeName: parentType.name, isRequired: true } as const
  const field = undefined as unknown as FieldPlan['field']
  return {
    name,
    field,
    nodes,
    parentType,
    column: null,
    isGuarded: false,
    args: null,
    argsIndex: -1,
    value,
    page: null,
  }
}

function planValue(planning: Planning, type: GraphQLOutputType, nodes: readonly FieldNode[]): ValuePlan {
  if (isNonNullType(type)) return { ...planValue(planning, type.ofType, nodes), isRequired: true } as ValuePlan
  if (isListType(type)) return { kind: 'list', item: planValue(planning, type.ofType, nodes), isRequired: false }
  if (isLeafType(type)) return { kind: 'leaf', type, serialize: (value) => type.serialize(value), isRequired: false }
  if (!isObjectType(type)) throw new Unplanned('abstract type')
  const sets = nodes.flatMap(({ selectionSet }) => selectionSet ?? [])
  return { kind: 'object', plan: planObject(planning, type, sets), isRequired: false }
}

function hasVariable(value: ValueNode): boolean {
  if (value.kind === Kind.VARIABLE) return true
  if (value.kind === Kind.LIST) return value.values.some(hasVariable)
  return value.kind === Kind.OBJECT && value.fields.some((field) => hasVariable(field.value))
}
