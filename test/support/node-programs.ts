import type { Command, TestPrograms } from '../contracts/engine-harness.ts'

const node = (script: string): Command => ({ entrypoint: ['node'], args: ['-e', script] })

/** Whatever a shell can do: it starts in a tenth of the processor time of Node.js. Arguments are `$1`, `$2`… */
const sh = (script: string): Command => ({ entrypoint: ['sh'], args: ['-c', script, 'sh'] })

/** Reads its own confinement from the kernel, under either version of cgroups, and prints it. */
const CONFESS = `
  const { readFileSync } = require('node:fs')
  const read = (...paths) => {
    for (const path of paths) try { return readFileSync('/sys/fs/cgroup/' + path, 'utf8').trim() } catch {}
  }
  const status = readFileSync('/proc/self/status', 'utf8')
  const field = (name) => new RegExp('^' + name + ':\\\\s*(\\\\S+)', 'm').exec(status)?.[1]
  const quota = read('cpu/cpu.cfs_quota_us') ?? read('cpu.max').split(' ')[0]
  console.log(JSON.stringify({
    memory: Number(read('memory/memory.limit_in_bytes', 'memory.max')),
    cores: Number(quota) / 100000,
    limitsProcesses: Number(read('pids/pids.max', 'pids.max')) > 0,
    capabilities: field('CapBnd'),
    noNewPrivileges: field('NoNewPrivs'),
    seccomp: field('Seccomp'),
    directory: process.cwd(),
    greeting: process.env.GREETING,
  }))
  setInterval(() => {}, 1000)`

const TALKER = `
  for (let n = 0; n < 300; n += 1) console.log('line ' + n)
  console.log('ä'.repeat(20000))
  console.error('to stderr')
  process.stdout.write('the end')
  setTimeout(() => {}, 600000)
  process.once('SIGUSR2', () => {})`

/** The contracts' programs for images with Node.js, a shell, `cat` and `sleep`. */
export const nodePrograms: TestPrograms = {
  server: node(`
    require('node:http').createServer((_, response) => response.end('hello')).listen(process.env.PORT)
    console.log('listening')`),
  elsewhere: node(`
    const listen = (port, host) =>
      new Promise((resolve) => require('node:net').createServer().listen(port, host, resolve))
    Promise.all([listen(3000, '127.0.0.1'), listen(3999, '0.0.0.0')]).then(() => console.log('listening'))`),
  confess: node(CONFESS),
  crash: sh('sleep 0.15; exit 3'),
  hungry: node('const kept = []; setInterval(() => kept.push(Buffer.alloc(16 * 1024 * 1024, 1)), 20)'),
  busy: node('const end = Date.now() + 30000; while (Date.now() < end);'),
  talker: node(TALKER),
  ticker: sh('n=0; while :; do echo "tick $n"; n=$((n + 1)); sleep 0.05; done'),
  deaf: sh('trap "echo no" TERM; echo deaf; while :; do sleep 1; done'),
  polite: sh('trap "exit 0" TERM; echo polite; sleep 600 & wait'),
  writeNote: sh('printf kept > /data/note; echo done; exec sleep 600'),
  readNote: sh('if [ -e /data/note ]; then cat /data/note; echo; else echo nothing; fi; exec sleep 600'),
  announce: sh('cat /app/message; echo; echo "$GREETING"'),
  fail: sh('exit 3'),
  copy: { entrypoint: ['cat'], args: [] },
  pour: node(`
    const { Readable } = require('node:stream')
    const blocks = function* () {
      for (let block = 0; block < Number(process.argv[1]); block += 1) yield Buffer.alloc(65536, block % 251)
    }
    Readable.from(blocks()).pipe(process.stdout)`),
  grumble: sh(`printf said
    line=0
    while [ $line -lt 3000 ]; do echo "line $line ä to stderr" >&2; line=$((line + 1)); done
    exit 3`),
  beat: node(`
    let n = 0
    setInterval(() => require('node:fs').writeFileSync('/data/note', String(n += 1)), 20)`),
  show: sh('if [ -e "$1" ]; then exec cat "$1"; fi; printf nothing'),
  greet: sh('printf %s "$GREETING"'),
  visit: node(`
    fetch('http://' + process.env.TARGET + ':3000/')
      .then((answer) => answer.text())
      .then(console.log, () => console.log('no answer'))
    setInterval(() => {}, 1000)`),
  wait: sh('echo waiting; exec sleep 600'),
}
