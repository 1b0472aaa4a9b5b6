// node scripts/check/folder-graph.ts [checkout]    prints which folder of src imports which; fails on a cycle
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { findCycles, type Graph, longestChain } from './graph.ts'

const MAX_OUTPUT_BYTES = 64 * 1024 * 1024

/** Each source file with the source files that it imports, types included, as the import rules see them. */
function readImports(checkout: string): Map<string, Set<string>> {
  const program = join(import.meta.dirname, '../../node_modules/.bin/depcruise')
  const reader = join(import.meta.dirname, 'read-using.mjs')
  const args = ['--import', reader, program, '--config', '.dependency-cruiser.cjs', '--output-type', 'json', 'src']
  const output = execFileSync(process.execPath, args, { cwd: checkout, maxBuffer: MAX_OUTPUT_BYTES })
  const { modules } = JSON.parse(String(output)) as {
    modules: { source: string; dependencies: { resolved: string }[] }[]
  }
  const sources = modules.filter(({ source }) => isSource(source))
  return new Map(
    sources.map(({ source, dependencies }) => [
      source,
      new Set(dependencies.map(({ resolved }) => resolved).filter(isSource)),
    ]),
  )
}

/** Generated code counts as one file. */
function isSource(path: string): boolean {
  return path.startsWith('src/') && !path.startsWith('src/storage/database/generated/')
}

/** For every folder, its direct contents and which of them imports which: a cycle can hide at any depth. */
function graphOfEachFolder(imports: Graph): Map<string, Map<string, Set<string>>> {
  const graphs = new Map<string, Map<string, Set<string>>>()
  const importsOf = (folder: string, name: string) => {
    const graph = graphs.get(folder) ?? new Map<string, Set<string>>()
    graphs.set(folder, graph)
    const imported = graph.get(name) ?? new Set<string>()
    graph.set(name, imported)
    return imported
  }
  for (const [file, imported] of imports) {
    const path = file.split('/')
    for (let depth = 1; depth < path.length; depth += 1) importsOf(path.slice(0, depth).join('/'), path[depth] ?? '')
    for (const other of imported) {
      const otherPath = other.split('/')
      const depth = path.findIndex((part, index) => part !== otherPath[index])
      importsOf(path.slice(0, depth).join('/'), path[depth] ?? '').add(otherPath[depth] ?? '')
    }
  }
  return graphs
}

/** The share of files with exactly one importer, among files with any importer. */
function singleImporterShare(imports: Graph): { single: number; imported: number } {
  const importers = new Map<string, number>()
  for (const imported of imports.values()) {
    for (const file of imported) importers.set(file, (importers.get(file) ?? 0) + 1)
  }
  return { single: [...importers.values()].filter((count) => count === 1).length, imported: importers.size }
}

const imports = readImports(process.argv[2] ?? '.')
const graphs = graphOfEachFolder(imports)
const cycles = [...graphs].flatMap(([folder, graph]) => findCycles(graph).map((names) => ({ folder, names })))

for (const [folder, graph] of [...graphs].sort()) {
  if (![...graph.keys()].some((name) => graphs.has(`${folder}/${name}`))) continue
  console.log(`${folder}/`)
  for (const [name, imported] of [...graph].sort()) {
    if (imported.size > 0) console.log(`    ${name} → ${[...imported].sort().join(', ')}`)
  }
}
for (const { folder, names } of cycles) console.log(`A cycle in ${folder}/: ${names.join(', ')} import each other.`)
const chain = longestChain(imports)
console.log(`Longest import chain: ${chain.length} files\n    ${chain.join('\n    ')}`)
const { single, imported } = singleImporterShare(imports)
const percent = Math.round((100 * single) / imported)
console.log(`Files with a single importer: ${single} of ${imported} (${percent} %); ${imports.size} files in all`)
process.exitCode = cycles.length === 0 ? 0 : 1
