import { formatImageReference, parseImageReference } from '../../domain/image-reference.ts'
import { type Instruction, invalid, type ReadDockerfile, readDockerfile } from './dockerfile-instructions.ts'
import { type GlobalArguments, readGlobal, substitute } from './global-arguments.ts'
import { sourceOfFlag, splitFlags, withoutAddresses } from './instruction-flags.ts'

export interface FoundImage {
  /** The name under which the engine has it. */
  name: string
  /** The instructions that it runs in every build that starts from it. */
  triggers: readonly string[]
}

/** Finds an image. Throws the reason why it may not be used. */
export type FindImage = (image: string) => Promise<FoundImage>

/** Each is asked for at a registry, one after another. */
export const MAX_IMAGES = 100

const SPACE = /[\t\v\f\r ]+/
const STAGE_NAME = /^[a-z][a-z0-9-_.]*$/
const NOTHING = 'scratch'
/** Any other front end is a program that can ask the engine for anything. */
const DIRECTIVE = /^(?:#|\/\/)\s*syntax\s*=/i
/** Docker's own, which builders have built in. */
const OWN_FRONT_END = /^(docker\.io\/)?docker\/dockerfile(:[\w.-]+)?$/i

/**
 * The Dockerfile with every image in it resolved and named in full. The engine would accept anything that matches an
 * image it has, such as the first digits of another tenant's image id, without checking whether it may be used. Throws
 * DOCKERFILE_INVALID, and whatever `find` throws.
 */
export async function withBaseImages(
  text: string,
  buildArgs: Readonly<Record<string, string>>,
  find: FindImage,
): Promise<string> {
  if (namesFrontEnd(text)) throw invalid('Of "# syntax", only docker/dockerfile may be named')
  const read = readDockerfile(text)
  // It crashes some engines.
  if (!read.instructions.some(({ keyword }) => keyword === 'FROM')) throw invalid('There is no FROM in the Dockerfile')
  const build = new Stages(buildArgs, find)
  const changed = new Map<number, { last: number; line: string }>()
  for (const instruction of read.instructions) {
    const line = await build.read(instruction)
    if (line !== null) changed.set(instruction.first, { last: instruction.last, line })
  }
  return rewritten(read, changed)
}

/** Which front end a line names; null for none. */
export function frontEndIn(line: string): 'own' | 'other' | null {
  const directive = DIRECTIVE.exec(line.trim())?.[0]
  if (directive === undefined) return null
  const name = line.trim().slice(directive.length).trim()
  return line.trim().startsWith('#') && OWN_FRONT_END.test(name) ? 'own' : 'other'
}

/** Engines also look for it after `//`, and in a text that is JSON. */
function namesFrontEnd(text: string): boolean {
  if (/^[\s\ufeff]*\{/.test(text)) return true
  return text.split('\n').some((line) => frontEndIn(line) === 'other')
}

/** The images that have to be found, in full. Throws DOCKERFILE_INVALID. */
export async function namedImages(text: string, buildArgs: Readonly<Record<string, string>>): Promise<string[]> {
  const images = new Set<string>()
  await withBaseImages(text, buildArgs, async (image) => {
    images.add(image)
    if (images.size > MAX_IMAGES) throw invalid(`The Dockerfile names more than ${MAX_IMAGES} images`)
    return { name: image, triggers: [] }
  })
  return [...images]
}

/** The Dockerfile with these images in it. Throws DOCKERFILE_INVALID. */
export const pinnedDockerfile = (
  text: string,
  buildArgs: Readonly<Record<string, string>>,
  found: Readonly<Record<string, FoundImage>>,
): Promise<string> =>
  withBaseImages(text, buildArgs, async (image) => {
    const known = found[image]
    if (!known) throw new Error(`${image} was not looked for`)
    return known
  })

function rewritten({ lines }: ReadDockerfile, changed: ReadonlyMap<number, { last: number; line: string }>): string {
  const kept: string[] = []
  for (let at = 0; at < lines.length; at += 1) {
    const change = changed.get(at)
    kept.push(change?.line ?? lines[at] ?? '')
    at = change?.last ?? at
  }
  return kept.join('\n')
}

/** The stages of a Dockerfile, read one instruction after another. */
class Stages {
  readonly #buildArgs: Readonly<Record<string, string>>
  readonly #find: FindImage
  readonly #globals: GlobalArguments = new Map()
  /** Names of the stages so far, which later ones may start from. */
  readonly #names = new Set<string>()
  #count = 0
  #present = ''

  constructor(buildArgs: Readonly<Record<string, string>>, find: FindImage) {
    this.#buildArgs = buildArgs
    this.#find = find
  }

  /** The instruction's replacement; null when it may stay. */
  async read(instruction: Instruction): Promise<string | null> {
    if (instruction.keyword === 'FROM') return this.#from(instruction)
    if (instruction.keyword === 'ARG' && this.#count === 0) readGlobal(instruction, this.#globals, this.#buildArgs)
    if (instruction.keyword === 'ONBUILD') assertOwnTrigger(instruction)
    return /^(ADD|COPY|RUN)$/.test(instruction.keyword) ? this.#withSources(instruction) : null
  }

  async #from(instruction: Instruction): Promise<string> {
    const { flags, rest } = splitFlags(instruction)
    const [image = '', as, name, ...more] = rest.split(SPACE)
    const isNamed = as?.toLowerCase() === 'as' && STAGE_NAME.test(name?.toLowerCase() ?? '')
    const isRight = more.length === 0 && (as === undefined || isNamed) && flags.every((one) => /^--platform=/.test(one))
    if (!isRight) throw invalid(`Line ${instruction.first + 1}: FROM is not of the form FROM image AS name`)
    if (this.#present !== '') this.#names.add(this.#present)
    const base = await this.#named(substitute(image, this.#globals, instruction), instruction)
    this.#present = name?.toLowerCase() ?? ''
    this.#count += 1
    return ['FROM', ...flags, base, ...(name ? ['AS', name] : [])].join(' ')
  }

  async #withSources(instruction: Instruction): Promise<string | null> {
    const { flags, rest } = splitFlags(instruction)
    const found = await Promise.all(
      flags.map(async (flag) => {
        const source = sourceOfFlag(flag)
        return source ? source.replace(await this.#source(source.from, instruction)) : flag
      }),
    )
    const paths = instruction.keyword === 'ADD' ? withoutAddresses(instruction, rest) : rest
    const isSame = paths === rest && found.every((flag, at) => flag === flags[at])
    return isSame ? null : [instruction.keyword, ...found, paths].join(' ')
  }

  /** A stage by its number or by a name that FROM may use. Engines take the number of no stage for the name of an image. */
  async #source(from: string, instruction: Instruction): Promise<string> {
    if (!/^\d+$/.test(from)) return this.#named(from, instruction)
    if (Number(from) < this.#count) return `${Number(from)}`
    throw invalid(`Line ${instruction.first + 1}: there is no stage ${from.slice(0, 20)} before it`)
  }

  async #named(image: string, { keyword, first }: Instruction): Promise<string> {
    const name = image.toLowerCase()
    if (this.#names.has(name) || (keyword === 'FROM' && name === NOTHING)) return name
    const parsed = parseImageReference(image)
    if ('problem' in parsed)
      throw invalid(`Line ${first + 1}: ${JSON.stringify(image.slice(0, 120))}: ${parsed.problem}`)
    const found = await this.#find(formatImageReference(parsed.reference))
    for (const trigger of found.triggers) assertHarmless(trigger, `The image ${image} brings an ONBUILD that`)
    return found.name
  }
}

const assertOwnTrigger = ({ rest, first }: Instruction) => assertHarmless(rest, `Line ${first + 1}: ONBUILD`)

/** An image's ONBUILD instructions run in builds that start from it, before any check here. */
function assertHarmless(trigger: string, what: string): void {
  const [instruction] = readDockerfile(trigger).instructions
  if (!instruction || !/^(ADD|COPY|RUN)$/.test(instruction.keyword)) return
  const { flags, rest } = splitFlags(instruction)
  const isOdd =
    flags.some(sourceOfFlag) || (instruction.keyword === 'ADD' && withoutAddresses(instruction, rest) !== rest)
  if (isOdd) throw invalid(`${what} reads from another image or address`)
}
