import type { Socket } from 'node:net'

/**
 * Passes on how each side of a tunnel ends. Each direction ends by itself; when one side breaks, the other gets a reset,
 * because that is no regular end. Both sockets must allow being half open.
 */
export function joinEnds(client: Socket, app: Socket): void {
  // A client may have finished sending before the tunnel stood.
  if (client.readableEnded) app.end()
  else client.once('end', () => app.end())
  app.once('end', () => client.end())
  client.once('close', (hadError) => follow(app, client, hadError))
  app.once('close', (hadError) => follow(client, app, hadError))
}

function follow(follower: Socket, closed: Socket, hadError: boolean): void {
  if (hadError || !closed.readableEnded) follower.resetAndDestroy()
  else follower.destroySoon()
}
