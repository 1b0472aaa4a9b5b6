import { pino } from 'pino'
import { Registry } from 'prom-client'
import { readConfig } from '../src/config/config.ts'
import { CurrentTable, RouteTable } from '../src/ingress/routes/route-table.ts'
import { TcpIngress } from '../src/ingress/tcp/tcp-ingress.ts'

// The ingress for plain TCP as it runs in production, metrics included, with one port; its own process.
const [port, address, upstreamPort] = process.argv.slice(2) as [string, string, string]
const source = new CurrentTable()
source.replace(
  new RouteTable(
    [],
    [
      {
        port: Number(port),
        appEnvId: 'env_bench',
        cliEnvName: 'default-bench-production',
        allowedCidrs: ['127.0.0.1'],
        maxConnections: null,
        targets: [{ name: 'bench-0', address, port: Number(upstreamPort), isReady: true }],
      },
    ],
  ),
)
const config = readConfig({ BERTH_TCP_PORTS: port })
const ingress = new TcpIngress({ config, source, log: pino({ level: 'warn' }), registry: new Registry() })
while (ingress.problems().length > 0) await new Promise((resolve) => setTimeout(resolve, 10))
process.send?.(Number(port))
process.on('message', () => process.send?.(process.cpuUsage()))
