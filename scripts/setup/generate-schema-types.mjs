// Writes the types of schema.graphql that the console’s documents are checked against: node
// scripts/setup/generate-schema-types.mjs <root>. gql.tada’s own program does not run under TypeScript 7
// (0no-co/gql.tada#519); what it calls does.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { join } from 'node:path'
import { buildSchema, introspectionFromSchema } from 'graphql'

// It imports TypeScript, which is installed by another name: see .npmrc.
registerHooks({
  resolve: (specifier, context, next) => next(specifier === 'typescript' ? 'typescript-compiler' : specifier, context),
})
const { minifyIntrospection, outputIntrospectionFile } = await import('@gql.tada/internal')

const [root] = process.argv.slice(2)
const folder = join(root, 'console/src/graphql/generated')
const schema = buildSchema(readFileSync(join(root, 'schema.graphql'), 'utf8'))
const introspection = minifyIntrospection(introspectionFromSchema(schema, { descriptions: false }))

mkdirSync(folder, { recursive: true })
writeFileSync(
  join(folder, 'schema-env.d.ts'),
  outputIntrospectionFile(introspection, { fileType: '.d.ts', shouldPreprocess: true }),
)
