import type { Command, TestPrograms } from '../contracts/engine-harness.ts'

const node = (script: string): Command => ({ entrypoint: ['node'], args: ['-e', script] })

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

const READ_NOTE = `
  const { existsSync, readFileSync } = require('node:fs')
  console.log(existsSync('/data/note') ? readFileSync('/data/note', 'utf8') : 'nothing'); setInterval(() => {}, 1000)`

/** The contracts' programs for images with Node.js. */
export const nodePrograms: TestPrograms = {
  server: node(`
    require('node:http').createServer((_, response) => response.end('hello')).listen(process.env.PORT)
    console.log('listening')`),
  elsewhere: node(`
    const listen = (port, host) =>
      new Promise((resolve) => require('node:net').createServer().listen(port, host, resolve))
    Promise.all([listen(3000, '127.0.0.1'), listen(3999, '0.0.0.0')]).then(() => console.log('listening'))`),
  confess: node(CONFESS),
  crash: node('setTimeout(() => process.exit(3), 150)'),
  hungry: node('const kept = []; setInterval(() => kept.push(Buffer.alloc(16 * 1024 * 1024, 1)), 20)'),
  busy: node('const end = Date.now() + 30000; while (Date.now() < end);'),
  talker: node(TALKER),
  ticker: node(`let n = 0; setInterval(() => console.log('tick ' + n++), 50)`),
  deaf: node(`process.on('SIGTERM', () => console.log('no')); setInterval(() => {}, 1000); console.log('deaf')`),
  polite: node(`process.on('SIGTERM', () => process.exit(0)); setInterval(() => {}, 1000); console.log('polite')`),
  writeNote: node(
    `require('node:fs').writeFileSync('/data/note', 'kept'); setInterval(() => {}, 1000); console.log('done')`,
  ),
  readNote: node(READ_NOTE),
  announce: node(
    `console.log(require('node:fs').readFileSync('/app/message', 'utf8')); console.log(process.env.GREETING)`,
  ),
  fail: node('process.exit(3)'),
  copy: node('process.stdin.pipe(process.stdout)'),
  pour: node(`
    const { Readable } = require('node:stream')
    const blocks = function* () {
      for (let block = 0; block < Number(process.argv[1]); block += 1) yield Buffer.alloc(65536, block % 251)
    }
    Readable.from(blocks()).pipe(process.stdout)`),
  grumble: node(`
    const { writeSync } = require('node:fs')
    writeSync(1, 'said')
    for (let line = 0; line < 3000; line += 1) writeSync(2, 'line ' + line + ' ä to stderr\\n')
    process.exit(3)`),
  beat: node(`
    let n = 0
    setInterval(() => require('node:fs').writeFileSync('/data/note', String(n += 1)), 20)`),
  show: node(`
    const { existsSync, readFileSync, writeSync } = require('node:fs')
    writeSync(1, existsSync(process.argv[1]) ? readFileSync(process.argv[1], 'utf8') : 'nothing')`),
  greet: node(`require('node:fs').writeSync(1, String(process.env.GREETING))`),
  visit: node(`
    fetch('http://' + process.env.TARGET + ':3000/')
      .then((answer) => answer.text())
      .then(console.log, () => console.log('nobody'))
    setInterval(() => {}, 1000)`),
  wait: node(`console.log('waiting'); setInterval(() => {}, 1000)`),
}
