import {
  type DocumentNode,
  type FieldNode,
  Kind,
  type OperationDefinitionNode,
  parse,
  print,
  type SelectionNode,
  separateOperations,
  visit,
} from 'graphql'
import type { Drawn } from './draw-document.ts'

/** Each field at the top in a document of its own, within the fragments that it stands in. */
export function fieldsAlone({ query, variables }: Drawn): Drawn[] {
  const document = parse(query)
  const operation = document.definitions.find((one) => one.kind === Kind.OPERATION_DEFINITION)
  if (!operation) return []
  return operation.selectionSet.selections
    .flatMap(alone)
    .map((selection) => documentOf(document, operation, selection, variables))
}

function alone(selection: SelectionNode): SelectionNode[] {
  if (selection.kind !== Kind.INLINE_FRAGMENT) return [selection]
  return selection.selectionSet.selections
    .flatMap(alone)
    .map((one) => ({ ...selection, selectionSet: { kind: Kind.SELECTION_SET, selections: [one] } }))
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
