import { posix } from 'node:path'
import { ImageError } from '../../../src/engines/images/image-builder.ts'
import { createImage, type ImageConfig, type MemoryImage } from './images.ts'
import type { Program } from './program.ts'

const PAIR = /("(?:[^"\\]|\\.)*"|[^\s="]+)=("(?:[^"\\]|\\.)*"|\S*)/g
const VARIABLE = /\$(?:(\w+)|\{(\w+)\})/g
const EXEC_FORM = /^\s*\[/

const unquoted = (word: string): string => (word.startsWith('"') ? JSON.parse(word) : word)

/** One stage of a build: an image that changes instruction by instruction. */
export class BuildStage {
  readonly alias: string | null
  readonly files: Map<string, Buffer>
  readonly programs: Readonly<Record<string, Program>>
  #config: ImageConfig
  #arguments: Record<string, string> = {}

  constructor({ files, programs, config }: MemoryImage, alias: string | null) {
    this.alias = alias
    this.files = new Map(files)
    this.programs = programs
    this.#config = { ...config, triggers: [] }
  }

  get directory(): string {
    return this.#config.directory
  }

  /** The environment of programs in its steps. */
  get variables(): Record<string, string> {
    return { ...this.#arguments, ...this.#config.environment }
  }

  /** Follows an instruction that changes only the image's configuration. */
  set(keyword: string, rest: string, buildArgs: Readonly<Record<string, string>>): void {
    const config = this.#config
    if (keyword === 'ARG') this.#argument(rest.trim(), buildArgs)
    else if (keyword === 'ENV')
      this.#config = { ...config, environment: { ...config.environment, ...this.#pairs(rest) } }
    else if (keyword === 'LABEL') this.#config = { ...config, labels: { ...config.labels, ...this.#pairs(rest) } }
    else if (keyword === 'WORKDIR') this.#config = { ...config, directory: this.#path(this.substitute(rest.trim())) }
    else if (keyword === 'CMD') this.#config = { ...config, command: this.command(rest) }
    else if (keyword === 'ENTRYPOINT') this.#config = { ...config, entrypoint: this.command(rest), command: [] }
    else if (keyword === 'ONBUILD') this.#config = { ...config, triggers: [...config.triggers, rest.trim()] }
    else if (!/^(EXPOSE|USER|STOPSIGNAL)$/.test(keyword)) {
      throw new ImageError('BUILD_FAILED', `This builder does not know ${keyword}`)
    }
  }

  copy(from: ReadonlyMap<string, Buffer>, source: string, target: string, isFolder: boolean): void {
    const path = posix.join('/', source)
    const below = path === '/' ? path : `${path}/`
    const intoFolder = isFolder || target.endsWith('/')
    const folder = this.#path(target)
    const found = [...from].filter(([name]) => name === path || name.startsWith(below))
    if (found.length === 0) throw new ImageError('BUILD_FAILED', `There is no ${source} to copy`)
    for (const [name, content] of found) {
      if (name !== path) this.files.set(posix.join(folder, name.slice(below.length)), content)
      else this.files.set(intoFolder ? posix.join(folder, posix.basename(name)) : folder, content)
    }
  }

  /** Without a shell in the image, a command line for `/bin/sh` fails. */
  command(rest: string): string[] {
    return EXEC_FORM.test(rest) ? JSON.parse(rest) : ['/bin/sh', '-c', rest.trim()]
  }

  substitute(text: string): string {
    return text.replaceAll(VARIABLE, (_all, bare, braced) => this.variables[bare ?? braced] ?? '')
  }

  image(labels: Readonly<Record<string, string>> = {}): MemoryImage {
    const config = { ...this.#config, labels: { ...this.#config.labels, ...labels } }
    return createImage({ config, files: this.files, programs: this.programs })
  }

  #argument(text: string, buildArgs: Readonly<Record<string, string>>): void {
    const [name = '', ...rest] = text.split('=')
    const value = buildArgs[name] ?? (rest.length > 0 ? unquoted(this.substitute(rest.join('='))) : undefined)
    if (value !== undefined) this.#arguments[name] = value
  }

  #pairs(text: string): Record<string, string> {
    const pairs = [...text.matchAll(PAIR)].map(([, name = '', value = '']) => [
      unquoted(name),
      this.substitute(unquoted(value)),
    ])
    return Object.fromEntries(pairs)
  }

  #path(path: string): string {
    return posix.resolve(this.#config.directory, path)
  }
}
