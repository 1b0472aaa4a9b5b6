import { chmod, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { StandIn } from '../stand-in.ts'

const HOME = '/var/lib/rabbitmq'

/** Settings of the official image. */
const DEFAULTS = 'loopback_users.guest = false\nlog.console = true\n'

export const rabbitmq: StandIn = {
  engine: 'RABBITMQ',
  about:
    'RabbitMQ 4.3 of Debian sid for every version, and an AMQP client for tests. Cannot show upgrades from 4.2, nor what ' +
    'the official image adds.',
  suite: 'sid',
  packages: ['rabbitmq-server', 'python3-pika'],
  user: { name: 'rabbitmq', id: 999, home: HOME },
  folders: ['/etc/rabbitmq', '/etc/rabbitmq/conf.d', '/var/log/rabbitmq'],
  environment: () => ({
    PATH: '/opt/rabbitmq/sbin:/usr/local/bin:/usr/bin:/bin',
    HOME,
    LANG: 'C.UTF-8',
    RABBITMQ_DATA_DIR: HOME,
    RABBITMQ_LOGS: '-',
  }),
  volume: () => HOME,
  command: ['rabbitmq-server'],
  fill: async (folder) => {
    await mkdir(join(folder, 'etc/rabbitmq/conf.d'), { recursive: true })
    await writeFile(join(folder, 'etc/rabbitmq/conf.d/10-defaults.conf'), DEFAULTS)
    await writeFile(join(folder, 'etc/rabbitmq/enabled_plugins'), '[rabbitmq_prometheus].\n')
    // Not the scripts of Debian, which want to become the user rabbitmq.
    await mkdir(join(folder, 'opt/rabbitmq/sbin'), { recursive: true })
    for (const name of ['rabbitmq-server', 'rabbitmqctl', 'rabbitmq-diagnostics', 'rabbitmq-plugins']) {
      const script = join(folder, 'opt/rabbitmq/sbin', name)
      await writeFile(script, `#!/bin/sh\nexec /usr/lib/rabbitmq/bin/${name} "$@"\n`)
      await chmod(script, 0o755)
    }
  },
}
