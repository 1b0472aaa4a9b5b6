export interface Linked {
  key: string
  dependsOn: readonly string[]
}

/** Components in columns: each one column behind the last of those that it waits for. */
export function layersOf<Component extends Linked>(components: readonly Component[]): Component[][] {
  const byKey = new Map(components.map((component) => [component.key, component]))
  const depths = new Map<string, number>()
  const depthOf = (key: string, above: readonly string[]): number => {
    const known = depths.get(key)
    if (known !== undefined) return known
    const waitsFor = (byKey.get(key)?.dependsOn ?? []).filter((other) => byKey.has(other) && !above.includes(other))
    const depth = waitsFor.reduce((deepest, other) => Math.max(deepest, depthOf(other, [...above, key]) + 1), 0)
    depths.set(key, depth)
    return depth
  }
  const layers: Component[][] = []
  for (const component of components) {
    const depth = depthOf(component.key, [])
    while (layers.length <= depth) layers.push([])
    layers[depth]?.push(component)
  }
  return layers
}
