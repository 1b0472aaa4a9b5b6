/** Each node with the nodes that it points to. */
export type Graph = ReadonlyMap<string, ReadonlySet<string>>

/** The groups of nodes that reach each other, each as the list of its nodes; none in a graph without cycles. */
export function findCycles(graph: Graph): string[][] {
  const found: string[][] = []
  const indexes = new Map<string, number>()
  const lowest = new Map<string, number>()
  const stack: string[] = []
  const visit = (node: string) => {
    indexes.set(node, indexes.size)
    lowest.set(node, indexes.size - 1)
    stack.push(node)
    for (const next of graph.get(node) ?? []) {
      if (!indexes.has(next)) visit(next)
      if (stack.includes(next)) lowest.set(node, Math.min(lowest.get(node) ?? 0, lowest.get(next) ?? 0))
    }
    if (lowest.get(node) !== indexes.get(node)) return
    const group = stack.splice(stack.indexOf(node))
    if (group.length > 1) found.push(group.sort())
  }
  for (const node of graph.keys()) if (!indexes.has(node)) visit(node)
  return found
}

/** The longest path through a graph, from its first node to its last. In a cycle, which is reported, it is cut. */
export function longestChain(graph: Graph): string[] {
  const chains = new Map<string, string[]>()
  const chainFrom = (node: string): string[] => {
    const known = chains.get(node)
    if (known) return known
    chains.set(node, [node])
    let longest: string[] = []
    for (const next of graph.get(node) ?? []) {
      const chain = chainFrom(next)
      if (chain.length > longest.length) longest = chain
    }
    const chain = [node, ...longest]
    chains.set(node, chain)
    return chain
  }
  return [...graph.keys()]
    .map(chainFrom)
    .reduce((longest, chain) => (chain.length > longest.length ? chain : longest), [])
}
