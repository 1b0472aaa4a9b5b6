/** Marks all resources of an installation on an engine that it may share with others. */
export const LABEL = {
  installation: 'berth.installation',
  role: 'berth.role',
  account: 'berth.account',
  app: 'berth.app',
  appEnv: 'berth.env',
  content: 'berth.content',
  operation: 'berth.operation',
  generation: 'berth.generation',
  replica: 'berth.replica',
  request: 'berth.request',
  /** Of a network, and of containers that join it beside their account's. */
  group: 'berth.group',
  /** The names of a container on its group's network, separated by commas. */
  aliases: 'berth.aliases',
  /** The port inside the container, which the engine does not otherwise know. */
  port: 'berth.port',
} as const
