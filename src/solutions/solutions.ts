import { codeServer } from './catalogue/code-server.ts'
import { directus } from './catalogue/directus.ts'
import { ghost } from './catalogue/ghost.ts'
import { gitea } from './catalogue/gitea.ts'
import { grafana } from './catalogue/grafana.ts'
import { matomo } from './catalogue/matomo.ts'
import { mattermost } from './catalogue/mattermost.ts'
import { meilisearch } from './catalogue/meilisearch.ts'
import { metabase } from './catalogue/metabase.ts'
import { minio } from './catalogue/minio.ts'
import { n8n } from './catalogue/n8n.ts'
import { nodeRed } from './catalogue/node-red.ts'
import { ntfy } from './catalogue/ntfy.ts'
import { rabbitmqQueue } from './catalogue/rabbitmq-queue.ts'
import { umami } from './catalogue/umami.ts'
import { uptimeKuma } from './catalogue/uptime-kuma.ts'
import { vaultwarden } from './catalogue/vaultwarden.ts'
import { verdaccio } from './catalogue/verdaccio.ts'
import { wikiJs } from './catalogue/wiki-js.ts'
import { wordpress } from './catalogue/wordpress.ts'
import type { Solution } from './solution.ts'

/** Every solution, in the order in which the APIs show them. */
export const SOLUTIONS: readonly Solution[] = [
  codeServer,
  directus,
  ghost,
  gitea,
  grafana,
  matomo,
  mattermost,
  meilisearch,
  metabase,
  minio,
  n8n,
  nodeRed,
  ntfy,
  rabbitmqQueue,
  umami,
  uptimeKuma,
  vaultwarden,
  verdaccio,
  wikiJs,
  wordpress,
]

export const findSolution = (slug: string): Solution | undefined => SOLUTIONS.find((one) => one.slug === slug)
