import { connect, type Socket } from 'node:net'
import { pino } from 'pino'
import { Registry } from 'prom-client'
import { onTestFinished } from 'vitest'
import { readConfig } from '../../src/config/config.ts'
import { CurrentTable, RouteTable, type Target, type TcpRoute } from '../../src/ingress/routes/route-table.ts'
import { TcpIngress, type TcpIngressOptions } from '../../src/ingress/tcp/tcp-ingress.ts'
import { eventually, startRawReplica } from './fixtures.ts'

const LOOPBACK = ['127.0.0.0/8', '::1']

export const tcpRouteTo = (port: number, targets: Target[], changes: Partial<TcpRoute> = {}): TcpRoute => ({
  port,
  appEnvId: `env_${port}`,
  cliEnvName: `default-shop-${port}`,
  allowedCidrs: LOOPBACK,
  maxConnections: null,
  targets: targets.map((target) => ({ ...target, isReady: true })),
  ...changes,
})

export interface TestTcpIngress {
  ingress: TcpIngress
  registry: Registry
  /** Replaces the table; resolves once the ports are listened on, or not any more. */
  route(...routes: TcpRoute[]): Promise<void>
  metric(name: string): Promise<number>
}

/** An ingress that may listen on these ports. */
export async function startTcpIngress(
  ports: readonly number[],
  routes: TcpRoute[],
  environment: NodeJS.ProcessEnv = {},
  options: Partial<TcpIngressOptions> = {},
): Promise<TestTcpIngress> {
  const source = new CurrentTable()
  const registry = new Registry()
  const config = readConfig({ ...environment, BERTH_TCP_PORTS: ports.join() })
  const log = pino({ level: 'silent' })
  const ingress = new TcpIngress({ config, source, log, registry, ...options })
  onTestFinished(() => ingress.close(0))
  const route = async (...next: TcpRoute[]) => {
    source.replace(new RouteTable([], next))
    await eventually(() => ingress.problems().length === 0)
  }
  const metric = async (name: string) => {
    const line = (await registry.metrics()).split('\n').find((text) => text.startsWith(`${name} `))
    return Number(line?.split(' ').at(-1) ?? Number.NaN)
  }
  await route(...routes)
  return { ingress, registry, route, metric }
}

/** A server that sends back what it gets, with its name before it. */
export const startEcho = (name = '') =>
  startRawReplica((socket) => {
    socket.write(name)
    socket.pipe(socket)
  })

export interface TcpClient {
  socket: Socket
  /** What it has received. */
  text(): string
  /** Null while it is open; then whether it ended regularly, or was reset. */
  ending(): 'ended' | 'reset' | null
}

export function connectTo(port: number, options: { host?: string; localAddress?: string } = {}): TcpClient {
  const socket = connect({ host: '127.0.0.1', port, allowHalfOpen: true, ...options })
  onTestFinished(() => void socket.destroy())
  let received = ''
  let ending: 'ended' | 'reset' | null = null
  socket.on('data', (chunk) => {
    received += chunk.toString('latin1')
  })
  socket.once('end', () => {
    ending ??= 'ended'
  })
  socket.once('error', () => {
    ending ??= 'reset'
  })
  return { socket, text: () => received, ending: () => ending }
}

/** Whether the port takes a connection and echoes. */
export async function echoes(port: number, options: Parameters<typeof connectTo>[1] = {}): Promise<boolean> {
  const client = connectTo(port, options)
  client.socket.write('hello')
  await eventually(() => client.text().endsWith('hello') || client.ending() !== null)
  client.socket.destroy()
  return client.ending() === null
}
