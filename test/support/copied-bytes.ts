/** A method through which bytes or characters of a stream go, and how many go through one call of it. */
interface Way {
  owner: object
  name: string
  count: (self: unknown, args: readonly unknown[]) => number
}

const lengthOf = (value: unknown): number => (value as { length: number }).length

const WAYS: readonly Way[] = [
  { owner: String.prototype, name: 'split', count: lengthOf },
  { owner: Buffer, name: 'concat', count: (_, [list]) => (list as unknown[]).map(lengthOf).reduce((a, b) => a + b, 0) },
  { owner: Buffer.prototype, name: 'toString', count: (self, [, from = 0]) => lengthOf(self) - Number(from) },
  { owner: Uint8Array.prototype, name: 'set', count: (_, [source]) => lengthOf(source) },
  { owner: Uint8Array.prototype, name: 'copyWithin', count: (_, [, from = 0, to]) => Number(to) - Number(from) },
]

/** How many bytes and characters `work` has copied: as good as a clock, and the same on every machine. */
export async function copiedBytes(work: () => unknown): Promise<number> {
  let copied = 0
  const originals = WAYS.map(({ owner, name }) => Object.getOwnPropertyDescriptor(owner, name))
  for (const { owner, name, count } of WAYS) {
    const original = Reflect.get(owner, name) as (...args: unknown[]) => unknown
    Object.defineProperty(owner, name, {
      configurable: true,
      writable: true,
      value(this: unknown, ...args: unknown[]) {
        copied += count(this, args)
        return original.apply(this, args)
      },
    })
  }
  try {
    await work()
  } finally {
    for (const [at, { owner, name }] of WAYS.entries()) {
      const original = originals[at]
      if (original) Object.defineProperty(owner, name, original)
    }
  }
  return copied
}
