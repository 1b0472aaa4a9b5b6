import { addressInTcpTable } from '../../domain/address-in-tcp-table.ts'
import type { ListeningSocket } from './container-runtime.ts'

/** A row of the kernel's table whose state is LISTEN (0A): number, local address and port, remote ones, state. */
const LISTENS = /^ {0,9}\d{1,9}: ([0-9A-F]{8}|[0-9A-F]{32}):([0-9A-F]{4}) [0-9A-F]{8,32}:0000 0A /gim

/**
 * The listening sockets in the text of `/proc/net/tcp` and `/proc/net/tcp6`. A program of the container may have
 * printed it, so whatever else it holds is passed over.
 */
export function readTcpTable(text: string): ListeningSocket[] {
  const found = [...text.matchAll(LISTENS)].map(([, address = '', port = '']) => ({
    address: addressInTcpTable(address),
    port: Number.parseInt(port, 16),
  }))
  // Several processes may share a socket's address.
  return [...new Map(found.map((socket) => [`${socket.address} ${socket.port}`, socket])).values()]
}

/** Whether only the container itself can connect to it. */
export const isLoopback = (address: string): boolean => address === '::1' || address.startsWith('127.')
