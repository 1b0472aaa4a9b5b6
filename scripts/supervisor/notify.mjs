import { execFile } from 'node:child_process'

/**
 * Reports to systemd, where a unit with `Type=notify` has started this: `READY=1`, `STOPPING=1`. By its own program, because
 * Node.js has no datagram sockets of Unix.
 */
export function notifyService(...states) {
  if (process.env.NOTIFY_SOCKET) execFile('systemd-notify', states, { timeout: 5_000 }, () => {})
}

/** For child processes, which are not to speak for the unit. */
export const WITHOUT_SERVICE = { NOTIFY_SOCKET: undefined }
