/** What two lists of variables have in common, and what not. */
export interface Variable {
  name: string
  value: string
  type: 'DEPLOY' | 'BUILD' | 'BOTH'
  isSecret: boolean
}

export interface VariableChange {
  name: string
  from: Variable
  to: Variable
}

export interface VariableChanges {
  added: Variable[]
  changed: VariableChange[]
  removed: Variable[]
  untouched: Variable[]
}

const byName = (variables: readonly Variable[]) => new Map(variables.map((variable) => [variable.name, variable]))

export const isSame = (one: Variable | undefined, other: Variable | undefined): boolean =>
  one === other ||
  (one !== undefined &&
    other !== undefined &&
    one.value === other.value &&
    one.type === other.type &&
    one.isSecret === other.isSecret)

/** What makes `to` of `from`. A masked secret equals itself: its value is not known, and stays. */
export function variableChanges(from: readonly Variable[], to: readonly Variable[]): VariableChanges {
  const before = byName(from)
  const after = byName(to)
  const changes: VariableChanges = { added: [], changed: [], removed: [], untouched: [] }
  for (const variable of after.values()) {
    const earlier = before.get(variable.name)
    if (!earlier) changes.added.push(variable)
    else if (isSame(earlier, variable)) changes.untouched.push(variable)
    else changes.changed.push({ name: variable.name, from: earlier, to: variable })
  }
  for (const variable of before.values()) if (!after.has(variable.name)) changes.removed.push(variable)
  return changes
}

/** The list with the changes made. */
export function withChanges(
  variables: readonly Variable[],
  { added, changed, removed }: Pick<VariableChanges, 'added' | 'changed' | 'removed'>,
): Variable[] {
  const all = byName(variables)
  for (const { name } of removed) all.delete(name)
  for (const { to } of changed) all.set(to.name, to)
  for (const variable of added) all.set(variable.name, variable)
  return [...all.values()]
}

export const changeCount = ({ added, changed, removed }: VariableChanges): number =>
  added.length + changed.length + removed.length

/** A variable that both sides changed, and not to the same; undefined where a side has none of the name. */
export interface Conflict {
  name: string
  base: Variable | undefined
  mine: Variable | undefined
  theirs: Variable | undefined
}

/** Two lists that came of the same one: what only one side changed is changed; the rest is a conflict, in which mine counts. */
export function mergeVariables(
  base: readonly Variable[],
  mine: readonly Variable[],
  theirs: readonly Variable[],
): { merged: Variable[]; conflicts: Conflict[]; taken: string[] } {
  const [before, here, there] = [byName(base), byName(mine), byName(theirs)]
  const merged: Variable[] = []
  const conflicts: Conflict[] = []
  const taken: string[] = []
  for (const name of new Set([...here.keys(), ...there.keys(), ...before.keys()])) {
    const sides = { base: before.get(name), mine: here.get(name), theirs: there.get(name) }
    const isTaken = isSame(sides.base, sides.mine) && !isSame(sides.base, sides.theirs)
    if (isTaken) taken.push(name)
    else if (!isSame(sides.base, sides.theirs) && !isSame(sides.mine, sides.theirs)) conflicts.push({ name, ...sides })
    const one = isTaken ? sides.theirs : sides.mine
    if (one) merged.push(one)
  }
  return { merged, conflicts, taken }
}
