import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'

export const ROOT = join(import.meta.dirname, '../..')

/** What the project's programs read. The rest, such as examples and other tests, is not needed to follow a checklist. */
const COPIED = [
  'src',
  'console',
  'text',
  'prisma',
  'scripts',
  'docs',
  'test/support',
  'test/contracts',
  'test/parity',
  'package.json',
  'package-lock.json',
  '.npmrc',
  'tsconfig.json',
  'vitest.config.ts',
  '.dependency-cruiser.cjs',
  'schema.graphql',
]

export interface Outcome {
  passed: boolean
  output: string
}

/** A copy of the repository in which checklists are followed. Paths are relative to its root. */
export class ScratchCopy implements Disposable {
  readonly root = realpathSync(mkdtempSync(join(tmpdir(), 'berth-contributing-')))
  readonly #edited = new Set<string>()

  constructor() {
    for (const path of COPIED) cpSync(join(ROOT, path), join(this.root, path), { recursive: true })
    symlinkSync(realpathSync(join(ROOT, 'node_modules')), join(this.root, 'node_modules'))
  }

  [Symbol.dispose](): void {
    rmSync(this.root, { recursive: true, force: true })
  }

  read(path: string): string {
    return readFileSync(join(this.root, path), 'utf8')
  }

  /** Creates a file. */
  write(path: string, content: string): void {
    mkdirSync(dirname(join(this.root, path)), { recursive: true })
    writeFileSync(join(this.root, path), content)
    this.#edited.add(path)
  }

  /** Replaces text that must be there once, and adds the imports that the new text needs. */
  replace(path: string, old: string, next: string, imports: readonly string[] = []): void {
    const parts = this.read(path).split(old)
    if (parts.length !== 2) throw new Error(`${path} has ${parts.length - 1} times: ${old}`)
    this.write(path, [...imports, parts.join(next)].join('\n'))
  }

  /** Adds a line above the only one that begins with a text, and the imports that it needs. */
  addLine(path: string, above: string, added: string, imports: readonly string[] = []): void {
    const lines = this.read(path).split('\n')
    const found = lines.flatMap((line, index) => (line.trimStart().startsWith(above) ? [index] : []))
    if (found.length !== 1) throw new Error(`${path} has ${found.length} lines that begin with: ${above}`)
    this.write(path, [...imports, ...lines.toSpliced(found[0] ?? 0, 0, added)].join('\n'))
  }

  /** The files that were created or changed since the last call. */
  takeEdited(): string[] {
    const edited = [...this.#edited].sort()
    this.#edited.clear()
    return edited
  }

  /** Runs a program of the project, as npm run does. */
  async run(...args: string[]): Promise<Outcome> {
    const { passed, stdout, stderr } = await this.#run(args)
    return { passed, output: stdout + stderr }
  }

  /** Runs a program that must succeed, and returns what it prints. */
  async print(...args: string[]): Promise<string> {
    const { passed, stdout, stderr } = await this.#run(args)
    if (!passed) throw new Error(`node ${args.join(' ')} failed:\n${stdout}${stderr}`)
    return stdout
  }

  async #run(args: string[]): Promise<{ passed: boolean; stdout: string; stderr: string }> {
    const child = spawn(process.execPath, args, {
      cwd: this.root,
      env: environment(),
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    const ended = once(child, 'close')
    const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), ended])
    return { passed: code === 0, stdout, stderr }
  }
}

// The compiler, a program in Go, spends a third of its time on memory that it could do without collecting.
const RARE_COLLECTION = { GOGC: '400' }

/** Without what Vitest says to its own workers: a program of the copy is nobody's worker, and starts no process. */
function environment(): NodeJS.ProcessEnv {
  const others = Object.entries(process.env).filter(([name]) => !/^(VITEST|TEST$|NODE_ENV$|VITE_)/.test(name))
  return { ...Object.fromEntries(others), ...RARE_COLLECTION, BERTH_TEST_BUNDLE: 'off', NO_COLOR: '1' }
}
