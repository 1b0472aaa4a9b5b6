import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type FragmentSpreadNode,
  type InlineFragmentNode,
  Kind,
  type OperationDefinitionNode,
  parse,
  print,
  type SelectionNode,
  separateOperations,
  visit,
} from 'graphql'
import type { Drawn } from './draw-document.ts'

/** Each field at the top in a document of its own, within the fragments that it stands in, which are then inline. */
export function fieldsAlone({ query, variables }: Drawn): Drawn[] {
  const document = parse(query)
  const operation = document.definitions.find((one) => one.kind === Kind.OPERATION_DEFINITION)
  if (!operation) return []
  return operation.selectionSet.selections
    .flatMap((selection) => alone(selection, document))
    .map((selection) => documentOf(document, operation, selection, variables))
}

function alone(selection: SelectionNode, document: DocumentNode): SelectionNode[] {
  if (selection.kind === Kind.FIELD) return [selection]
  const fragment = selection.kind === Kind.FRAGMENT_SPREAD ? inline(selection, document) : selection
  return fragment.selectionSet.selections
    .flatMap((one) => alone(one, document))
    .map((one) => ({ ...fragment, selectionSet: { kind: Kind.SELECTION_SET, selections: [one] } }))
}

function inline({ name, directives }: FragmentSpreadNode, { definitions }: DocumentNode): InlineFragmentNode {
  const fragment = definitions.find(
    (one): one is FragmentDefinitionNode => one.kind === Kind.FRAGMENT_DEFINITION && one.name.value === name.value,
  )
  if (!fragment) throw new Error(`There is no fragment ${name.value}`)
  const { typeCondition, selectionSet } = fragment
  return { kind: Kind.INLINE_FRAGMENT, typeCondition, directives, selectionSet }
}

function documentOf(
  { definitions }: DocumentNode,
  operation: OperationDefinitionNode,
  selection: SelectionNode | FieldNode,
  variables: Drawn['variables'],
): Drawn {
  const others = definitions.filter((one) => one !== operation)
  const one = { ...operation, selectionSet: { kind: Kind.SELECTION_SET, selections: [selection] } } as const
  const [needed] = Object.values(separateOperations({ kind: Kind.DOCUMENT, definitions: [one, ...others] }))
  const used = new Set<string>()
  for (const definition of needed?.definitions ?? [])
    visit({ ...definition, variableDefinitions: [] }, { Variable: ({ name }) => void used.add(name.value) })
  const isUsed = (name: string) => used.has(name)
  const declared = operation.variableDefinitions?.filter(({ variable }) => isUsed(variable.name.value))
  const whole = {
    kind: Kind.DOCUMENT,
    definitions:
      needed?.definitions.map((part) =>
        part.kind === Kind.OPERATION_DEFINITION ? { ...part, variableDefinitions: declared } : part,
      ) ?? [],
  } as DocumentNode
  return {
    query: print(whole),
    variables: Object.fromEntries(Object.entries(variables).filter(([name]) => isUsed(name))),
  }
}
