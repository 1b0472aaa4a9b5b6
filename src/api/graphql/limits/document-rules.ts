import {
  type ASTVisitor,
  type DocumentNode,
  type FragmentDefinitionNode,
  GraphQLError,
  Kind,
  type SelectionSetNode,
  type ValidationContext,
  visit,
} from 'graphql'
import type { Config } from '../../../config/config.ts'

type Limits = Pick<Config, 'BERTH_GRAPHQL_MAX_DEPTH' | 'BERTH_GRAPHQL_MAX_ALIASES'>

export const tooMuch = (reason: string, message: string, more: object = {}): GraphQLError =>
  new GraphQLError(message, {
    extensions: { code: 'INVALID_INPUT', reason, ...more, http: { status: 400, spec: true } },
  })

/** The limits on a document that do not depend on its variables: the verdict is cached with the document. */
export function documentRule(limits: Limits): (context: ValidationContext) => ASTVisitor {
  return (context) => ({
    Document: {
      enter(document) {
        for (const problem of problemsOf(document, limits)) context.reportError(problem)
      },
    },
  })
}

function problemsOf(document: DocumentNode, limits: Limits): GraphQLError[] {
  const problems: GraphQLError[] = []
  const aliases = countAliases(document)
  if (aliases > limits.BERTH_GRAPHQL_MAX_ALIASES) {
    problems.push(
      tooMuch(
        'TOO_MANY_ALIASES',
        `A document may have ${limits.BERTH_GRAPHQL_MAX_ALIASES} aliases; this has ${aliases}`,
      ),
    )
  }
  const depth = depthOf(document)
  if (depth > limits.BERTH_GRAPHQL_MAX_DEPTH) {
    problems.push(
      tooMuch('TOO_DEEP', `A selection may be ${limits.BERTH_GRAPHQL_MAX_DEPTH} fields deep; this is ${depth}`),
    )
  }
  return problems
}

function countAliases(document: DocumentNode): number {
  let aliases = 0
  visit(document, {
    Field(node) {
      if (node.alias) aliases += 1
    },
  })
  return aliases
}

/** The deepest selection. Introspection does not count; GraphQL has its own rule for it. */
function depthOf(document: DocumentNode): number {
  const fragments = new Map<string, FragmentDefinitionNode>()
  for (const definition of document.definitions) {
    if (definition.kind === Kind.FRAGMENT_DEFINITION) fragments.set(definition.name.value, definition)
  }
  const known = new Map<string, number>()

  const depthOfSelections = (set: SelectionSetNode | undefined): number => {
    let deepest = 0
    for (const selection of set?.selections ?? []) {
      if (selection.kind === Kind.FRAGMENT_SPREAD) deepest = Math.max(deepest, depthOfFragment(selection.name.value))
      else if (selection.kind === Kind.INLINE_FRAGMENT)
        deepest = Math.max(deepest, depthOfSelections(selection.selectionSet))
      else if (!selection.name.value.startsWith('__'))
        deepest = Math.max(deepest, 1 + depthOfSelections(selection.selectionSet))
    }
    return deepest
  }
  const depthOfFragment = (name: string): number => {
    const cached = known.get(name)
    if (cached !== undefined) return cached
    known.set(name, 0)
    const depth = depthOfSelections(fragments.get(name)?.selectionSet)
    known.set(name, depth)
    return depth
  }
  const operations = document.definitions.filter((definition) => definition.kind === Kind.OPERATION_DEFINITION)
  return Math.max(0, ...operations.map((operation) => depthOfSelections(operation.selectionSet)))
}
