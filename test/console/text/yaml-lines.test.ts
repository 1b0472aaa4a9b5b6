import fc from 'fast-check'
import { expect, test } from 'vitest'
import { stringify } from 'yaml'
import { lineOfPath } from '../../../text/yaml-lines.ts'

const FILE = `# shop
services:
  web:
    image: "nginx:1"
    privileged: true
    ports:
      - "80:80"
      - "81:81"
    "x-name": 1
  db:
    volumes:
    - data:/var
    - other:/tmp
volumes:
  data:
`

test.each([
  ['services', 2],
  ['services.web', 3],
  ['services.web.privileged', 5],
  ['services.web.ports.1', 8],
  ['services.web.x-name', 9],
  ['services.db.volumes.1', 13],
  ['services.db.image', 10],
  ['volumes.data', 15],
  ['networks', null],
] as const)('%s is on line %s', (path, line) => {
  expect(lineOfPath(FILE, path.split('.'))).toBe(line)
})

test('every path of a generated file leads to the line that has its key', () => {
  const key = fc.stringMatching(/^[a-z][a-z-]{0,6}[a-z]$/)
  const tree = fc.letrec((tie) => ({
    node: fc.oneof({ maxDepth: 3 }, fc.constant('x'), fc.dictionary(key, tie('node'), { minKeys: 1, maxKeys: 4 })),
  })).node
  fc.assert(
    fc.property(fc.dictionary(key, tree, { minKeys: 1, maxKeys: 4 }), (file) => {
      const text = stringify(file)
      const visit = (node: unknown, path: string[]) => {
        if (path.length > 0) expect(text.split('\n')[(lineOfPath(text, path) ?? 0) - 1]).toMatch(`${path.at(-1)}:`)
        if (typeof node === 'object' && node !== null)
          for (const [name, below] of Object.entries(node)) visit(below, [...path, name])
      }
      visit(file, [])
    }),
  )
})
