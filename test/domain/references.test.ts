import { describe, expect, test } from 'vitest'
import { resolveReferences, UnresolvedReference } from '../../src/domain/references.ts'

const surroundings = {
  platform: { PORT: '3000' },
  urlOf: ({ envName, url }: { envName: string; url: string }) => (envName === 'a-db-main' ? `${url}://db` : null),
}

const resolve = (values: Record<string, string>) =>
  Object.fromEntries(resolveReferences(new Map(Object.entries(values)), surroundings))

const refusal = (values: Record<string, string>) => {
  try {
    return JSON.stringify(resolve(values))
  } catch (error) {
    if (!(error instanceof UnresolvedReference)) throw error
    return `${error.variable} ${error.message}`
  }
}

describe('references in variables', () => {
  test('are replaced, through others and in any order', () => {
    const values = { URL: `http://\${HOST}:\${PORT}`, HOST: `\${NAME}.test`, NAME: 'shop' }
    expect(resolve(values)).toEqual({ URL: 'http://shop.test:3000', HOST: 'shop.test', NAME: 'shop' })
  })

  test('reach other environments', () => {
    expect(resolve({ DB: `\${a-db-main.internalUrl}` })).toEqual({ DB: 'internalUrl://db' })
    expect(refusal({ DB: `\${a-db-gone.internalUrl}` })).toMatch(/^DB refers to \$\{a-db-gone\.internalUrl\}, which is/)
  })

  test('leave other text and escaped references alone', () => {
    const values = { A: `\${B:-x} $B \${} \${a b} $\${B}`, B: '1' }
    expect(resolve(values).A).toBe(`\${B:-x} $B \${} \${a b} \${B}`)
  })

  test('to unknown names, or in a cycle, are refused by the name of the variable', () => {
    expect(refusal({ A: `\${NOBODY}` })).toMatch(/^A refers to \$\{NOBODY\}, which is neither .*; write \$\$\{NOBODY\}/)
    expect(refusal({ A: `\${B}`, B: `\${C}`, C: `\${A}` })).toBe('A refers to itself: A → B → C → A')
    expect(refusal({ A: `\${A}` })).toBe('A refers to itself: A → A')
  })

  test('cannot create values of unlimited length', () => {
    const values = Object.fromEntries(Array.from({ length: 40 }, (_, i) => [`V${i}`, `\${V${i + 1}}\${V${i + 1}}`]))
    expect(refusal({ ...values, V40: 'x' })).toMatch(/becomes longer than 128 KiB/)
  })
})
