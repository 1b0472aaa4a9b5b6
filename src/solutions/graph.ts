interface Node {
  key: string
  dependsOn: readonly string[]
}

/** Names of no component, and cycles. */
export function graphProblems(nodes: readonly Node[]): string[] {
  const known = new Set(nodes.map(({ key }) => key))
  const unknown = nodes.flatMap(({ key, dependsOn }) =>
    dependsOn.filter((name) => !known.has(name)).map((name) => `${key} depends on ${name}, which is no component`),
  )
  if (unknown.length > 0) return unknown
  const left = remaining(nodes)
  return left.length > 0 ? [`components depend on each other: ${left.map(({ key }) => key).join(', ')}`] : []
}

/** Dependencies first; otherwise as declared. Throws for a graph with a cycle. */
export function inDependencyOrder<N extends Node>(nodes: readonly N[]): N[] {
  const ordered: N[] = []
  const left = remaining(nodes, ordered)
  if (left.length > 0) throw new Error(`Components depend on each other: ${left.map(({ key }) => key).join(', ')}`)
  return ordered
}

/** Moves what depends on nothing that is left, again and again; returns what can never be moved. */
function remaining<N extends Node>(nodes: readonly N[], ordered: N[] = []): N[] {
  const done = new Set<string>()
  let left = [...nodes]
  for (;;) {
    const ready = left.filter(({ dependsOn }) => dependsOn.every((name) => done.has(name)))
    if (ready.length === 0) return left
    for (const node of ready) done.add(node.key)
    ordered.push(...ready)
    left = left.filter(({ key }) => !done.has(key))
  }
}
