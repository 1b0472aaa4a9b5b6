import { PassThrough } from 'node:stream'
import type Docker from 'dockerode'

/**
 * Processes whose command has the mark, in two parts so that this one has it not. `$3`: what to do. `cat` and the
 * substitution drop the zeros between arguments; an image may have no other programs.
 */
const FIND = `for process in /proc/[0-9]*; do
  case "$(cat "$process/cmdline" 2>/dev/null)" in *"$1-$2"*) ;; *) continue ;; esac
  echo "$process"
  if [ "$3" = release ]; then : > "$process/root/go"; fi
done`

/** A builder's own commands name environments and operations, too. */
const MARK = 'step-of'

/** A command that goes on until `letStepGo`, however slow the machine is. */
export const waitingStep = (word: string): string => `RUN : ${MARK}-${word}; while [ ! -e /go ]; do sleep 0.1; done`

/** How many processes of builds have the word in their command, whichever builder runs them. */
export const countSteps = (docker: Docker, word: string): Promise<number> => searchSteps(docker, word, 'count')

/** Lets steps of `waitingStep` end. Returns how many it found. */
export const letStepGo = (docker: Docker, word: string): Promise<number> => searchSteps(docker, word, 'release')

async function searchSteps(docker: Docker, word: string, what: 'count' | 'release'): Promise<number> {
  const lists = await Promise.all(
    // A step's own container, and the builder of an account.
    ['build', 'builder'].map((role) => docker.listContainers({ filters: { label: [`berth.role=${role}`] } })),
  )
  const found = await Promise.all(lists.flat().map(({ Id }) => search(docker, Id, word, what).catch(() => 0)))
  return found.reduce((sum, count) => sum + count, 0)
}

async function search(docker: Docker, id: string, word: string, what: string): Promise<number> {
  const Cmd = ['sh', '-c', FIND, 'sh', MARK, word, what]
  const exec = await docker.getContainer(id).exec({ Cmd, AttachStdout: true, AttachStderr: true })
  const stream = await exec.start({})
  const output = new PassThrough()
  let text = ''
  output.on('data', (chunk) => {
    text += chunk
  })
  docker.modem.demuxStream(stream, output, new PassThrough().resume())
  for await (const _ of stream);
  return text.split('\n').filter((line) => line.startsWith('/proc/')).length
}
