import { codeServer } from './catalogue/code-server.ts'
import { directus } from './catalogue/directus.ts'
import { ghost } from './catalogue/ghost.ts'
import { metabase } from './catalogue/metabase.ts'
import { n8n } from './catalogue/n8n.ts'
import { nodeRed } from './catalogue/node-red.ts'
import { rabbitmqQueue } from './catalogue/rabbitmq-queue.ts'
import { umami } from './catalogue/umami.ts'
import { uptimeKuma } from './catalogue/uptime-kuma.ts'
import { verdaccio } from './catalogue/verdaccio.ts'
import { wordpress } from './catalogue/wordpress.ts'
import type { Solution } from './solution.ts'

/** Every solution, in the order in which the APIs show them. */
export const SOLUTIONS: readonly Solution[] = [
  ...[codeServer, directus, ghost, metabase, n8n, nodeRed, rabbitmqQueue, umami, uptimeKuma, verdaccio, wordpress],
]

export const findSolution = (slug: string): Solution | undefined => SOLUTIONS.find((one) => one.slug === slug)
