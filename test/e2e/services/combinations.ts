import { repetitions } from '../../support/repetitions.ts'

/** Choices of one value per list: so many that each value is in one of them, or, in proofs, all that there are. */
export function combinations(lists: readonly (readonly string[])[]): string[][] {
  return repetitions(eachValue, allOf)(lists.filter(({ length }) => length > 0))
}

const allOf = (lists: readonly (readonly string[])[]): string[][] =>
  lists.reduce<string[][]>((all, some) => all.flatMap((one) => some.map((more) => [...one, more])), [[]])

function eachValue(lists: readonly (readonly string[])[]): string[][] {
  const count = Math.max(1, ...lists.map(({ length }) => length))
  return Array.from({ length: count }, (_, at) => lists.flatMap((list) => list[at % list.length] ?? []))
}
