// Writes what GraphiQL and the API reference run in a browser into files, zipped: node scripts/setup/unpack-pages.mjs
// <root>. Their packages hold it as texts of modules, 14 MB, which a process that imports them keeps twice.
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { constants, gzipSync } from 'node:zlib'
import * as graphiql from '@graphql-yoga/render-graphiql/graphiql'
import scalar from '@scalar/fastify-api-reference'

const [root] = process.argv.slice(2)
const folder = join(root, 'src/api/http/generated')

write({
  'graphiql.js': graphiql.js,
  'graphiql.css': graphiql.css,
  'graphiql-editor-worker.js': graphiql.editorWorkerService,
  'graphiql-json-worker.js': graphiql.jsonWorker,
  'graphiql-graphql-worker.js': graphiql.graphqlWorker,
  'scalar.js': scalarScript(),
})

/**
 * The package for Fastify is the one that carries the script whole: the reference's own package brings a hundred others,
 * which only its build needs. So the plugin is given a server that takes its routes, and the route of the script is
 * asked for it.
 */
function scalarScript() {
  const routes = []
  const server = { route: (route) => routes.push(route), initialConfig: {} }
  scalar(server, { routePrefix: '/docs', configuration: { url: '/openapi.json' } }, () => {})
  const reply = { header: () => reply, send: (body) => body }
  return routes.find(({ url }) => url.endsWith('.js'))?.handler(null, reply)
}

/** All of them or none: a process may be reading the former ones. */
function write(texts) {
  const unfinished = `${folder}.${process.pid}`
  mkdirSync(unfinished, { recursive: true })
  for (const [name, text] of Object.entries(texts)) {
    if (typeof text !== 'string') throw new Error(`The package with ${name} has it in an unknown place`)
    writeFileSync(join(unfinished, `${name}.gz`), gzipSync(text, { level: constants.Z_BEST_COMPRESSION }))
  }
  rmSync(folder, { recursive: true, force: true })
  renameSync(unfinished, folder)
}
