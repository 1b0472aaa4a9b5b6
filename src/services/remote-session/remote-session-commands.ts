import { z } from 'zod'
import { command } from '../../calls/command.ts'
import { appEnvTarget, portNumber } from '../../calls/input.ts'
import { MAX_TERMINAL_SIDE } from '../../domain/remote-session.ts'
import { type AppEnvAddress, lockAppEnv } from '../targets/load-app-env.ts'
import { openRemoteSession } from './open-remote-session.ts'
import { execAnswer, sessionExample, tunnelAnswer } from './remote-session-fields.ts'

const MAX_ARGUMENTS = 100
const MAX_ARGUMENT_LENGTH = 4096

const podId = z
  .string()
  .min(1)
  .max(200)
  .optional()
  .describe('Id or name of the container, as listed by pods. Default: the first one that serves.')

const side = (about: string) => z.number().int().min(1).max(MAX_TERMINAL_SIDE).optional().describe(about)

export const createExec = command({
  name: 'createExec',
  rest: { method: 'POST', path: '/app-env/exec', answer: execAnswer },
  versioned: true,
  about:
    'Run a command in a running container of an environment. The answer has a WebSocket address that works once, within seconds: the command begins when it is opened, by the protocol v5.channel.k8s.io. Its arguments are in the audit log; its input and output are not.',
  example: {
    request: { command: ['sh'], terminal: true, columns: 120, rows: 40 },
    answer: sessionExample,
  },
  input: z.strictObject({
    ...appEnvTarget,
    podId,
    command: z
      .array(z.string().max(MAX_ARGUMENT_LENGTH))
      .min(1)
      .max(MAX_ARGUMENTS)
      .default(['/bin/sh'])
      .describe('Program and arguments. No shell reads them, unless it is the program. Default: /bin/sh.'),
    terminal: z
      .boolean()
      .default(false)
      .describe('Whether the command has a terminal, for interactive use. Both outputs are then one.'),
    columns: side('Width of the terminal in characters. Default: 80.'),
    rows: side('Height of the terminal in lines. Default: 24.'),
  }),
  permission: 'appEnv:exec',
  target: ({ tx }, address) => lockAppEnv(tx, address as AppEnvAddress),
  async execute(context, { podId: pod, command: line, terminal, columns = 80, rows = 24 }, { appEnv }) {
    const { port: _none, ...opened } = await openRemoteSession(context, appEnv, pod, {
      command: line,
      terminal: terminal ? { columns, rows } : null,
      port: null,
    })
    return opened
  },
})

export const createTunnel = command({
  name: 'createTunnel',
  rest: { method: 'POST', path: '/app-env/tunnel', answer: tunnelAnswer },
  versioned: true,
  about:
    'Connect to a port of a running container of an environment, such as the port of a database. The answer has a WebSocket address that works once, within seconds, for one connection: its binary messages are the bytes, both ways.',
  example: { request: { port: 5432 }, answer: { ...sessionExample, port: 5432 } },
  input: z.strictObject({
    ...appEnvTarget,
    podId,
    port: portNumber('Port of the container. Default: the one that the app listens on.').optional(),
  }),
  permission: 'appEnv:exec',
  target: ({ tx }, address) => lockAppEnv(tx, address as AppEnvAddress),
  execute: (context, { podId: pod, port }, { appEnv }) =>
    openRemoteSession(context, appEnv, pod, { command: null, terminal: null, port: port ?? null }),
})
