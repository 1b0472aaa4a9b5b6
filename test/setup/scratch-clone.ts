import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import type { MachineMemory } from '../../src/platform/machine-memory.mjs'

const DEPENDENCIES = join(import.meta.dirname, '../../scripts/setup/dependencies.mjs')
const install = (options: InstallOptions) => `
  const { installDependencies } = await import(${JSON.stringify(DEPENDENCIES)})
  await installDependencies(process.cwd(), ${JSON.stringify(options)})`

export interface InstallOptions {
  withDevelopment: boolean
  /** Of the machine; without it, this machine's. */
  memory?: MachineMemory
}

/** Notes how it is called and when it ends, and leaves and removes what npm does. It waits for the file "go" to install. */
export const NPM = `#!${process.execPath}
  const { appendFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } = require('node:fs')
  const command = process.argv[2]
  const isLean = process.argv.includes('--omit=dev')
  const shown = process.argv.slice(2).filter((arg) => !/^--(no-|loglevel|maxsockets|foreground)/.test(arg))
  appendFileSync('installs.txt', 'begin ' + shown.join(' ') + '\\n')
  if (command === 'rebuild') process.exit(existsSync('rebuild-fails') ? 7 : 0)
  if (command === 'ci') rmSync('node_modules', { recursive: true, force: true })
  const timer = setInterval(() => {
    if (!existsSync('go')) return
    clearInterval(timer)
    const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8'))
    const installed = Object.entries(packages).filter(([path, { dev }]) => path !== '' && !(dev && isLean))
    for (const path of Object.keys(packages)) if (path !== '') rmSync(path, { recursive: true, force: true })
    for (const [path, { version }] of installed) {
      mkdirSync(path, { recursive: true })
      writeFileSync(path + '/package.json', JSON.stringify({ version }))
    }
    mkdirSync('node_modules', { recursive: true })
    writeFileSync('node_modules/.package-lock.json', JSON.stringify({ packages: Object.fromEntries(installed) }))
    appendFileSync('installs.txt', 'end\\n')
  }, 20)`

type Packages = Record<string, { version?: string; dev?: boolean }>

export interface SetupCommand {
  child: ChildProcess
  said(): string
  ended(): Promise<number | null>
}

/** A clone of a project with a few packages, and an npm that installs them without a registry. */
export class ScratchClone implements AsyncDisposable {
  readonly folder = mkdtempSync(join(tmpdir(), 'berth-setup-'))
  readonly commands: SetupCommand[] = []

  constructor(packages: Packages) {
    mkdirSync(join(this.folder, 'bin'))
    this.becomeNpm(NPM)
    this.lock(packages)
  }

  lock(packages: Packages): void {
    this.write('package-lock.json', JSON.stringify({ packages: { '': {}, ...packages } }))
  }

  becomeNpm(program: string): void {
    this.write('bin/npm', program)
    chmodSync(join(this.folder, 'bin/npm'), 0o755)
  }

  write(path: string, text: string): void {
    writeFileSync(join(this.folder, path), text)
  }

  /** Lets installs end, those that run and those to come. */
  go(): void {
    this.write('go', '')
  }

  /** A command that installs what it needs, in a process of its own. */
  install(options: InstallOptions = { withDevelopment: true }): SetupCommand {
    const environment = { ...process.env, PATH: `${join(this.folder, 'bin')}${delimiter}${process.env.PATH}` }
    const args = ['--input-type=module', '--eval', install(options)]
    const child = spawn(process.execPath, args, { cwd: this.folder, env: environment })
    let text = ''
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk) => {
        text += chunk
      })
    }
    const closed = once(child, 'close')
    const command = { child, said: () => text, ended: async () => (await closed)[0] }
    this.commands.push(command)
    return command
  }

  /** What npm has noted. */
  installs(): string[] {
    try {
      return readFileSync(join(this.folder, 'installs.txt'), 'utf8').trim().split('\n')
    } catch {
      return []
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.go()
    await Promise.all(this.commands.map(({ ended }) => ended()))
    rmSync(this.folder, { recursive: true, force: true })
  }
}

export const NPM_THAT_FAILS = `#!${process.execPath}\n  process.exit(7)`
