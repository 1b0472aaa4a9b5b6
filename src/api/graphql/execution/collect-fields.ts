import {
  type ConstDirectiveNode,
  type DirectiveNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLObjectType,
  type GraphQLSchema,
  isAbstractType,
  Kind,
  type SelectionNode,
  type SelectionSetNode,
} from 'graphql'

export type Fragments = Readonly<Record<string, FragmentDefinitionNode>>

export interface Collecting {
  schema: GraphQLSchema
  fragments: Fragments
  /** Values of the variables that `@skip` and `@include` depend on. */
  conditions: Readonly<Record<string, unknown>>
}

/** The fields of an object by their names in the answer, in the order of the document; those of one name together. */
export function collectFields(
  collecting: Collecting,
  type: GraphQLObjectType,
  sets: readonly SelectionSetNode[],
): Map<string, FieldNode[]> {
  const fields = new Map<string, FieldNode[]>()
  const spread = new Set<string>()
  for (const set of sets) collect(collecting, type, set, fields, spread)
  return fields
}

function collect(
  collecting: Collecting,
  type: GraphQLObjectType,
  { selections }: SelectionSetNode,
  fields: Map<string, FieldNode[]>,
  spread: Set<string>,
): void {
  for (const selection of selections) {
    if (!isWanted(collecting, selection)) continue
    if (selection.kind === Kind.FIELD) {
      const name = selection.alias?.value ?? selection.name.value
      const others = fields.get(name)
      if (others) others.push(selection)
      else fields.set(name, [selection])
      continue
    }
    const fragment = fragmentOf(collecting, selection, spread)
    if (fragment && appliesTo(collecting, fragment.typeCondition?.name.value, type))
      collect(collecting, type, fragment.selectionSet, fields, spread)
  }
}

type Spread = Exclude<SelectionNode, FieldNode>

function fragmentOf({ fragments }: Collecting, selection: Spread, spread: Set<string>) {
  if (selection.kind === Kind.INLINE_FRAGMENT) return selection
  const name = selection.name.value
  if (spread.has(name)) return null
  spread.add(name)
  return fragments[name] ?? null
}

function appliesTo({ schema }: Collecting, condition: string | undefined, type: GraphQLObjectType): boolean {
  if (condition === undefined || condition === type.name) return true
  const named = schema.getType(condition)
  return isAbstractType(named) && schema.isSubType(named, type)
}

function isWanted({ conditions }: Collecting, { directives = [] }: SelectionNode): boolean {
  return directives.every((directive) => {
    const value = conditionOf(directive)
    const isTrue = typeof value === 'string' ? conditions[value] === true : value
    return directive.name.value === 'skip' ? !isTrue : isTrue
  })
}

/** The `if` of `@skip` or `@include`: the name of a variable, or a value. */
export function conditionOf({ arguments: given = [] }: DirectiveNode | ConstDirectiveNode): string | boolean {
  const value = given[0]?.value
  if (value?.kind === Kind.VARIABLE) return value.name.value
  return value?.kind === Kind.BOOLEAN && value.value
}
