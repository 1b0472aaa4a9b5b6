import type { FieldNode, GraphQLField, GraphQLLeafType, GraphQLObjectType } from 'graphql'

/** An object of the answer: its fields, with all that is the same in every answer. */
export interface ObjectPlan {
  fields: readonly FieldPlan[]
}

export interface FieldPlan {
  /** In the answer. */
  name: string
  field: GraphQLField<unknown, unknown>
  nodes: readonly FieldNode[]
  parentType: GraphQLObjectType
  /** The property of the row that holds the value, for a column that was loaded. */
  column: string | null
  /** Whether some callers may read the column by its resolver only, which asks for a permission. */
  isGuarded: boolean
  /** Null when variables decide them: then they are found by the index. */
  args: Readonly<Record<string, unknown>> | null
  argsIndex: number
  value: ValuePlan
  /** For a page of a list whose rows the database can write. */
  page: TextPage | null
}

export type ValuePlan =
  | { kind: 'leaf'; type: GraphQLLeafType; serialize(value: unknown): unknown; isRequired: boolean }
  | { kind: 'object'; plan: ObjectPlan; isRequired: boolean }
  | { kind: 'list'; item: ValuePlan; isRequired: boolean }
  | { kind: 'typename'; typeName: string; isRequired: true }

export interface OperationPlan {
  root: ObjectPlan
  /** Fields whose arguments depend on variables. */
  withVariables: FieldPlan[]
}

/** Finds the arguments of a field below, which may depend on variables. */
export type ArgumentsOf = (field: FieldPlan) => Readonly<Record<string, unknown>>

/** How a connection is read without asking Pothos what its rows need; null where only Pothos knows. */
export type TextPage = (field: FieldPlan, argumentsOf: ArgumentsOf, context: object) => Promise<object> | null
