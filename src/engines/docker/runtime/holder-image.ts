import { hash } from 'node:crypto'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import type { ImageInspectInfo } from 'dockerode'
import { pack } from 'tar-stream'
import { ask, type DockerEngine } from '../connection.ts'
import { statusOf } from '../engine-answers.ts'

export const HOLDER_IMAGE = 'berth-network-holder:1'

const PROGRAM = '/hold'

const ELF_HEADER_BYTES = 64
const PROGRAM_HEADER_BYTES = 56
const LOAD_ADDRESS = 0x400000n
const PROCESSOR = { amd64: 62, arm64: 183 } as const

/** Machine code that sleeps until it is killed: `pause`, and where that is no system call, `ppoll` of nothing; again and again. */
const CODE = {
  // mov eax, 34; syscall; jmp to the beginning
  amd64: Buffer.from('b8220000000f05ebf7', 'hex'),
  // mov x8, 73; mov x0…x3, 0; svc 0; b to the beginning
  arm64: Buffer.from('280980d2000080d2010080d2020080d2030080d2010000d4faffff17', 'hex'),
} as const

type Processor = keyof typeof CODE

/** A static program of a hundred bytes, so that an image needs neither a registry nor a shell. */
export function sleepingProgram(processor: Processor): Buffer {
  const code = CODE[processor]
  const headerBytes = ELF_HEADER_BYTES + PROGRAM_HEADER_BYTES
  const program = Buffer.alloc(headerBytes + code.length)
  program.set([0x7f, 0x45, 0x4c, 0x46, 2, 1, 1])
  program.writeUInt16LE(2, 16)
  program.writeUInt16LE(PROCESSOR[processor], 18)
  program.writeUInt32LE(1, 20)
  program.writeBigUInt64LE(LOAD_ADDRESS + BigInt(headerBytes), 24)
  program.writeBigUInt64LE(BigInt(ELF_HEADER_BYTES), 32)
  program.writeUInt16LE(ELF_HEADER_BYTES, 52)
  program.writeUInt16LE(PROGRAM_HEADER_BYTES, 54)
  program.writeUInt16LE(1, 56)
  const [loaded, readAndRun] = [1, 5]
  program.writeUInt32LE(loaded, ELF_HEADER_BYTES)
  program.writeUInt32LE(readAndRun, ELF_HEADER_BYTES + 4)
  program.writeBigUInt64LE(LOAD_ADDRESS, ELF_HEADER_BYTES + 16)
  program.writeBigUInt64LE(LOAD_ADDRESS, ELF_HEADER_BYTES + 24)
  program.writeBigUInt64LE(BigInt(program.length), ELF_HEADER_BYTES + 32)
  program.writeBigUInt64LE(BigInt(program.length), ELF_HEADER_BYTES + 40)
  program.writeBigUInt64LE(4096n, ELF_HEADER_BYTES + 48)
  program.set(code, headerBytes)
  return program
}

/** False on an engine of another processor, which has no holders then. */
export async function ensureHolderImage(engine: DockerEngine, signal: AbortSignal): Promise<boolean> {
  const { Arch } = (await ask(engine, { path: '/version', signal })) as { Arch: string }
  if (!Object.hasOwn(CODE, Arch)) return false
  const archive = await archiveOf(sleepingProgram(Arch as Processor))
  // Imported anew by each process, it would be another image each time, and the former one stay without a name.
  if (await isThere(engine, archive, signal)) return true
  const [repo, tag] = HOLDER_IMAGE.split(':')
  const options = { repo, tag, changes: [`ENTRYPOINT ["${PROGRAM}"]`], abortSignal: signal }
  const progress = await engine.docker.importImage(Readable.from([archive]), options)
  for await (const _step of progress);
  return true
}

/** The same bytes each time. */
function archiveOf(program: Buffer): Promise<Buffer> {
  const archive = pack()
  archive.entry({ name: PROGRAM.slice(1), mode: 0o755, mtime: new Date(0) }, program)
  archive.finalize()
  return buffer(archive)
}

/** Whether the image of this name holds this program, and nothing else. */
async function isThere(engine: DockerEngine, archive: Buffer, signal: AbortSignal): Promise<boolean> {
  try {
    const found = await ask(engine, { path: `/images/${HOLDER_IMAGE}/json`, signal })
    const { RootFS, Config } = found as ImageInspectInfo
    const layers = RootFS.Layers?.join() ?? ''
    return layers === `sha256:${hash('sha256', archive)}` && `${Config.Entrypoint}` === PROGRAM
  } catch (error) {
    if (statusOf(error) === 404) return false
    throw error
  }
}
