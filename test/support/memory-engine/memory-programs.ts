import type { TestPrograms } from '../../contracts/engine-harness.ts'
import type { Process, Program } from './program.ts'

const STEP_BYTES = 16 * 1024 * 1024
const BLOCK_BYTES = 64 * 1024
const NOTE = '/data/note'

/** Calls again and again until the process ends. */
function every(ms: number, { signal }: Process, call: () => void): void {
  const timer = setInterval(call, ms)
  signal.addEventListener('abort', () => clearInterval(timer), { once: true })
}

/** The contracts' programs as functions. */
export const programs: Record<keyof TestPrograms, Program> = {
  server(process) {
    process.serve((_request, response) => response.end('hello'))
    process.print('listening')
  },
  elsewhere(process) {
    process.listen({ address: '127.0.0.1', port: 3000 })
    process.listen({ address: '0.0.0.0', port: 3999 })
    process.print('listening')
  },
  confess(process) {
    const { limits, directory, environment } = process
    const { cores, memoryBytes: memory } = limits
    process.print(JSON.stringify({ memory, cores, directory, greeting: environment.GREETING }))
  },
  crash(process) {
    const timer = setTimeout(() => process.exit(3), 150)
    process.signal.addEventListener('abort', () => clearTimeout(timer), { once: true })
  },
  hungry(process) {
    let memoryBytes = 0
    every(20, process, () => {
      memoryBytes += STEP_BYTES
      process.use({ memoryBytes })
    })
  },
  busy: (process) => process.use({ cores: 1 }),
  talker(process) {
    for (let n = 0; n < 300; n += 1) process.print(`line ${n}`)
    process.print('ä'.repeat(20_000))
    process.print('to stderr', 'stderr')
    process.write('the end')
  },
  ticker(process) {
    let n = 0
    every(50, process, () => {
      process.print(`tick ${n}`)
      n += 1
    })
  },
  deaf(process) {
    process.onTerminate(() => process.print('no'))
    process.print('deaf')
  },
  polite(process) {
    process.onTerminate(() => process.exit(0))
    process.print('polite')
  },
  writeNote({ files, print }) {
    files.write(NOTE, 'kept')
    print('done')
  },
  readNote: ({ files, print }) => print(files.read(NOTE) ?? 'nothing'),
  announce({ files, environment, print }) {
    print(files.read('/app/message') ?? '')
    print(String(environment.GREETING))
    return 0
  },
  fail: () => 3,
  wait: ({ print }) => print('waiting'),
  async copy({ input, send }) {
    for await (const chunk of input) await send(chunk)
    return 0
  },
  async pour({ args, send, signal }) {
    for (let block = 0; block < Number(args[0]) && !signal.aborted; block += 1) {
      await send(Buffer.alloc(BLOCK_BYTES, block % 251))
    }
    return 0
  },
  grumble({ print, write }) {
    write('said')
    for (let line = 0; line < 3000; line += 1) print(`line ${line} ä to stderr`, 'stderr')
    return 3
  },
  beat(process) {
    let n = 0
    every(20, process, () => {
      n += 1
      process.files.write(NOTE, String(n))
    })
  },
  show({ args, files, write }) {
    write(files.read(args[0] ?? '') ?? 'nothing')
    return 0
  },
  greet({ environment, write }) {
    write(String(environment.GREETING))
    return 0
  },
  async visit(process) {
    const found = process.lookUp(process.environment.TARGET ?? '')
    const answer = found && (await fetch(`http://${found.address}:${found.port}/`))
    process.print(answer ? await answer.text() : 'no answer')
  },
}
