// Writes the check of compose files, by the specification's schema, as code: node compile-compose-schema.mjs <root>. A
// process that compiled it when its first file comes would answer nothing else for a fifth of a second.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv } from 'ajv'
import standalone from 'ajv/dist/standalone/index.js'

const [root] = process.argv.slice(2)
const folder = join(root, 'src/solutions/generated')
const file = join(root, 'src/solutions/compose/compose-spec.json')
const { $schema: _dialect, ...schema } = JSON.parse(readFileSync(file, 'utf8'))
const ajv = new Ajv({
  allErrors: true,
  strict: false,
  verbose: true,
  // Its formats, such as "duration", are described nowhere: what reads the field says what is wrong.
  validateFormats: false,
  // The schema names a dialect that Ajv has under another name.
  meta: false,
  validateSchema: false,
  inlineRefs: false,
  code: { source: true },
})
mkdirSync(folder, { recursive: true })
writeFileSync(join(folder, 'compose-schema.cjs'), standalone.default(ajv, ajv.compile(schema)))
writeFileSync(
  join(folder, 'compose-schema.d.cts'),
  "import type { ValidateFunction } from 'ajv'\ndeclare const validate: ValidateFunction\nexport = validate\n",
)
