import { exampleId } from '../../calls/examples.ts'
import { fieldsOf, text, time, whole } from '../../calls/field.ts'
import { answer } from '../../calls/resource.ts'

interface OpenedSession {
  remoteSessionId: string
  url: string
  ticket: string
  expiresAt: string
  container: string
  podId: string
  port: number
}

const field = fieldsOf<OpenedSession>()

const shared = {
  remoteSessionId: field.given('remoteSessionId', text, 'Id of the remote session, by which the audit log names it.', {
    inGraphQL: { type: 'ID' },
  }),
  url: field.given('url', text, 'Address to open the WebSocket at, with the ticket in it.'),
  ticket: field.given(
    'ticket',
    text,
    'Secret that opens the WebSocket, once, until `expiresAt`. No other answer shows it.',
  ),
  expiresAt: field.given('expiresAt', time, 'Time until which the ticket may be used.'),
  container: field.given('container', text, 'Name of the container.'),
  podId: field.given('podId', text, 'Id of the container on the engine.'),
}

export const execAnswer = answer(shared, {
  id: 'OpenedExec',
  description: 'A command in a running container, which begins when its WebSocket is opened.',
})

export const tunnelAnswer = answer(
  { ...shared, port: field.given('port', whole, 'Port of the container that the tunnel leads to.') },
  {
    id: 'OpenedTunnel',
    description: 'A connection to a port of a running container, which is made when its WebSocket is opened.',
  },
)

export const sessionExample = {
  remoteSessionId: exampleId('rem'),
  url: `ws://127.0.0.1:4000/remote-session?ticket=<ticket>`,
  ticket: 'berth_t_<ticket>',
  container: 'default-shop-production-1',
  podId: '5c2f1e0b9a74',
}
